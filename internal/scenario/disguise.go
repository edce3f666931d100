package scenario

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// disguise replaces what could tell whose data it is, the same text by the same text wherever it stands, so that what joined before joins after: names, keys
// and ids by invented ones, amounts by others in the same order, times by ones that lie as far apart. Who has not the secret cannot undo it.
type disguise struct {
	secret  []byte
	shift   time.Duration
	names   map[string]string // of whole texts
	taken   map[string]bool   // invented texts in use
	amounts map[int64]int64   // minor units
	plain   map[string]bool   // texts that tell nothing of anybody: currencies, words of the contracts
	inside  []string          // known texts that may stand inside others, the longest first
}

func newDisguise(secret []byte, shift time.Duration) *disguise {
	return &disguise{secret: secret, shift: shift, names: make(map[string]string), taken: make(map[string]bool), amounts: make(map[int64]int64), plain: map[string]bool{"true": true, "false": true}}
}

// word is a part of a text between punctuation.
var word = regexp.MustCompile(`[\p{L}\p{M}\p{N}]+`)

// sum is the number that the secret makes of a text.
func (d *disguise) sum(kind, s string) []byte {
	h := hmac.New(sha256.New, d.secret)
	_, _ = h.Write([]byte(kind + "\x00" + s))
	return h.Sum(nil)
}

// learn invents a name for a text. A text of digits stays one of as many, since the id of a row may stand as a number elsewhere.
func (d *disguise) learn(kind, s string) string {
	if s == "" {
		return s
	}
	if got, ok := d.names[s]; ok {
		return got
	}
	for salt := ""; ; salt += "+" {
		sum := d.sum(kind+salt, s)
		out := invented(kind, s, sum)
		if !d.taken[out] || len(s) < 2 {
			d.names[s], d.taken[out] = out, true
			return out
		}
	}
}

// invented makes a name of the shape of a text: a key that has a shape of its own is a finding, and is to stay one.
func invented(kind, s string, sum []byte) string {
	name := kind + "-" + hex.EncodeToString(sum[:4])
	switch {
	case reconcile.ShapeOf([]byte(s)) == reconcile.ShapeEmail:
		return name + "@example.com"
	case reconcile.ShapeOf([]byte(s)) == reconcile.ShapeCard:
		return someCard(sum)
	case reconcile.ShapeOf([]byte(s)) == reconcile.ShapeCredential:
		return "sk_test_" + hex.EncodeToString(sum[:12])
	case digits(s):
		return someDigits(sum, len(s))
	}
	return name
}

// someCard is a number of the range that issuers keep for tests, with its check digit.
func someCard(sum []byte) string {
	n := "424242" + someDigits(sum, 9)
	total := 0
	for i := range n {
		digit := int(n[len(n)-1-i] - '0')
		if i%2 == 0 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		total += digit
	}
	return n + strconv.Itoa((10-total%10)%10)
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// someDigits are n digits, the first not zero.
func someDigits(sum []byte, n int) string {
	text := new(big.Int).SetBytes(sum).String()
	for len(text) < n {
		text += text
	}
	if text = text[:n]; text[0] == '0' {
		text = "7" + text[1:]
	}
	return text
}

// ready makes known texts be found inside others, the longest first: a key made of another by a template stays one.
func (d *disguise) ready() {
	for s := range d.names {
		if len(s) >= 4 {
			d.inside = append(d.inside, s)
		}
	}
	slices.SortFunc(d.inside, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
}

// text replaces a text: one that is known by its name, one that holds a known one part by part, any other whole.
func (d *disguise) text(kind, s string) string {
	if got, ok := d.names[s]; ok {
		return got
	}
	if d.plain[s] {
		return s
	}
	if out, found := d.within(s); found {
		return out
	}
	return d.learn(kind, s)
}

// within replaces the known texts that stand in a text, and every word between them that is not a word of the contracts: what is said beside a key may be a name.
func (d *disguise) within(s string) (out string, found bool) {
	for _, known := range d.inside {
		before, after, ok := strings.Cut(s, known)
		if !ok {
			continue
		}
		left, _ := d.within(before)
		right, _ := d.within(after)
		return left + d.names[known] + right, true
	}
	return word.ReplaceAllStringFunc(s, func(w string) string {
		if got, ok := d.names[w]; ok {
			return got
		}
		if d.plain[w] {
			return w
		}
		if digits(w) {
			return someDigits(d.sum("number", w), len(w))
		}
		return "w" + hex.EncodeToString(d.sum("word", w)[:3])
	}), false
}

// allow lets the words of a text stand that everybody may read.
func (d *disguise) allow(s string) {
	for _, w := range word.FindAllString(s, -1) {
		d.plain[w] = true
	}
}

// time moves an instant.
func (d *disguise) time(i reconcile.Instant) reconcile.Instant {
	if !i.Known() {
		return i
	}
	return reconcile.At(i.Time().Add(d.shift))
}

// order invents amounts: each distinct one gets another, in the same order, so that what was less stays less and what was equal equal.
func (d *disguise) order(all []int64) {
	for i, n := range all {
		if n < 0 && n != math.MinInt64 {
			all[i] = -n
		}
	}
	slices.Sort(all)
	at := int64(0)
	for _, n := range slices.Compact(all) {
		if n <= 0 {
			d.amounts[n] = n
			continue
		}
		var b [8]byte
		copy(b[:], d.sum("amount", big.NewInt(n).String()))
		step := int64(binary.BigEndian.Uint64(b[:])>>40)%max(n-at, 100) + 1
		at = max(at, n/2) + step
		d.amounts[n], d.amounts[-n] = at, -at // what was taken back is told by its sign
	}
}

func (d *disguise) amount(a reconcile.Amount) reconcile.Amount {
	if got, ok := d.amounts[a.Minor]; ok {
		a.Minor = got
	}
	return a
}

// payload replaces what stands in a request or an answer: of JSON every text and number, of anything else the whole.
func (d *disguise) payload(b []byte) string {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return d.text("text", string(b))
	}
	out, err := json.Marshal(d.value(v))
	if err != nil {
		return d.text("text", string(b))
	}
	return string(out)
}

func (d *disguise) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[d.member(name)] = d.value(one)
		}
		return out
	case []any:
		for i := range v {
			v[i] = d.value(v[i])
		}
	case string:
		return d.text("text", v)
	case json.Number:
		return d.number(v)
	}
	return v
}

// plainMember is a name that a program gives a member: what is written by people (an address, a name with a space) looks otherwise.
var plainMember = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$.-]{0,63}$`)

// member replaces the name of a member where it is no name that a program gives, or one that is known as somebody's.
func (d *disguise) member(name string) string {
	if _, known := d.names[name]; known || !plainMember.MatchString(name) {
		return d.text("text", name)
	}
	return name
}

// number replaces a number as an amount, as an id, or else by another of as many digits. Small counts stay: two shirts tell nothing of anybody.
func (d *disguise) number(n json.Number) json.Number {
	if got, ok := d.names[n.String()]; ok {
		return json.Number(got)
	}
	whole, err := n.Int64()
	switch got, ok := d.amounts[whole]; {
	case err != nil:
		return json.Number(someDigits(d.sum("number", n.String()), 3))
	case ok:
		return json.Number(big.NewInt(got).String())
	case whole > -100 && whole < 100:
		return n
	}
	return json.Number(someDigits(d.sum("number", n.String()), len(n.String())))
}
