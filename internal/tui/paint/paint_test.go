package paint_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/text/hostile"
	"example.com/idemctl/internal/tui/paint"
)

var styling = regexp.MustCompile("\x1b\\[[0-9;]*m")

func lawful(t interface {
	Fatalf(string, ...any)
	Helper()
}, c *paint.Canvas, w, h int,
) []string {
	t.Helper()
	var bare []string
	for _, name := range paint.Palettes() {
		p, err := paint.NewPalette(name)
		if err != nil {
			t.Fatalf("%v", err)
		}
		lines := c.Lines(p)
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		bare = bare[:0]
		for _, l := range lines {
			b := styling.ReplaceAllString(l, "")
			if text.Width(b) != w {
				t.Fatalf("%q is %d cells wide, want %d", b, text.Width(b), w)
			}
			if err := hostile.Check([]byte(b)); err != nil {
				t.Fatalf("%v", err)
			}
			bare = append(bare, b)
		}
	}
	return bare
}

// However texts are drawn over each other, made safe or not, the canvas keeps its size and holds nothing that a terminal obeys.
func TestCanvasKeepsItsSize(t *testing.T) {
	t.Parallel()
	corpus := hostile.Corpus()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 5).Draw(t, "h")
		c := paint.NewCanvas(w, h)
		for range rapid.IntRange(1, 8).Draw(t, "texts") {
			s := rapid.OneOf(
				rapid.Custom(func(t *rapid.T) string {
					return string(corpus[rapid.IntRange(0, len(corpus)-1).Draw(t, "text")].Bytes)
				}),
				rapid.StringOfN(rapid.RuneFrom([]rune("ab界é\u0301한 \\…")), 0, 40, -1),
			).Draw(t, "s")
			if rapid.Bool().Draw(t, "safe") {
				s = text.SafeString(s)
			}
			a := c.Area().Sub(rapid.IntRange(-2, w+2).Draw(t, "ax"), rapid.IntRange(-1, h+1).Draw(t, "ay"), rapid.IntRange(-1, w+3).Draw(t, "aw"), rapid.IntRange(-1, h+2).Draw(t, "ah"))
			x, y := rapid.IntRange(-2, w+2).Draw(t, "x"), rapid.IntRange(-1, h+1).Draw(t, "y")
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				a.Put(x, y, paint.Bad, s)
			case 1:
				a.PutRight(x, y, paint.Good, s)
			case 2:
				a.Wrapped(max(x, 0), max(y, 0), paint.Text, s)
			case 3:
				a.Box(&paint.Unicode, paint.Border, paint.Title, s, s).Put(0, 0, paint.Text, s)
			case 4:
				a.Clear(paint.Text)
				a.Select(y)
				a.Rule(y, paint.Border, &paint.ASCII)
			}
		}
		lawful(t, c, w, h)
	})
}

// What is safe is shown as it is, in the cells that a terminal gives it.
func TestTerminalAgrees(t *testing.T) {
	t.Parallel()
	p, err := paint.NewPalette("mono")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hostile.Corpus() {
		s := text.Truncate(text.Safe(h.Bytes), 50)
		c := paint.NewCanvas(60, 1)
		end := c.Area().Put(0, 0, paint.Strong, s)
		c.Area().Put(end, 0, paint.Text, "|")
		lawful(t, c, 60, 1)
		e := vt.NewEmulator(60, 1)
		if _, err := e.WriteString(c.Lines(p)[0]); err != nil {
			t.Fatal(err)
		}
		if got := e.CellAt(end, 0); got == nil || got.Content != "|" {
			t.Errorf("%s: %q takes %d cells here, and others on a terminal: %q", h.Name, s, end, e.String())
		}
		_ = e.Close()
	}
}

func TestWideLettersAreWhole(t *testing.T) {
	t.Parallel()
	c := paint.NewCanvas(6, 3)
	a := c.Area()
	a.Put(0, 0, paint.Text, "界界界")
	a.Put(1, 0, paint.Text, "x")
	a.Put(0, 1, paint.Text, "界界界")
	a.Put(1, 1, paint.Text, "漢")
	a.Put(5, 2, paint.Text, "界")
	if got := strings.Join(lawful(t, c, 6, 3), "|"); got != " x界界| 漢 界|     …" {
		t.Errorf("%q", got)
	}
}

func TestForeignIsShownNotObeyed(t *testing.T) {
	t.Parallel()
	c := paint.NewCanvas(12, 1)
	c.Area().Put(0, 0, paint.Text, "a\x1b[2Jb\u202ec\x00\u0301d")
	if got := lawful(t, c, 12, 1)[0]; got != "a\ufffd[2J\ufffdc\ufffd\ufffdd  " {
		t.Errorf("%q", got)
	}
}

// Without colours the palette sets attributes alone, and the plain one nothing.
func TestPalettesWithoutColours(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]string{"mono": "^(\x1b\\[(0|1|2|4|7)(;(1|2|4|7))*m)*$", "plain": "^$"} {
		p, err := paint.NewPalette(name)
		if err != nil {
			t.Fatal(err)
		}
		for st := paint.Text; st <= paint.Training; st++ {
			c := paint.NewCanvas(1, 1)
			c.Area().Put(0, 0, st, "x")
			for range 2 {
				if got := strings.ReplaceAll(c.Lines(p)[0], "x", ""); !regexp.MustCompile(allowed).MatchString(got) {
					t.Errorf("%s sets %q for style %d", name, got, st)
				}
				c.Area().Select(0)
			}
		}
	}
	if _, err := paint.NewPalette("neon"); err == nil {
		t.Error("a theme that there is not was made")
	}
}

// Where glyphs are ASCII, the console's own signs are too.
func TestASCII(t *testing.T) {
	t.Parallel()
	c := paint.NewCanvas(20, 1)
	c.ASCII = true
	c.Area().Put(0, 0, paint.Text, "a…b·c•d ↑↓←→ é")
	if got := lawful(t, c, 20, 1)[0]; got != "a~b-c*d ^v<> é      " {
		t.Errorf("%q", got)
	}
}
