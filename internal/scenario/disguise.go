package scenario

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
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
	inside  *strings.Replacer // known texts inside others
}

func newDisguise(secret []byte, shift time.Duration) *disguise {
	return &disguise{secret: secret, shift: shift, names: make(map[string]string), taken: make(map[string]bool), amounts: make(map[int64]int64)}
}

// kept are texts that tell nothing of anybody: a currency, a truth.
var kept = regexp.MustCompile(`^([A-Z]{3}|true|false)$`)

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
		out := kind + "-" + hex.EncodeToString(sum[:4])
		if digits(s) {
			out = someDigits(sum, len(s))
		}
		if !d.taken[out] || len(s) < 2 {
			d.names[s], d.taken[out] = out, true
			return out
		}
	}
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
	var known []string
	for s := range d.names {
		if len(s) >= 4 {
			known = append(known, s)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range known {
		pairs = append(pairs, s, d.names[s])
	}
	d.inside = strings.NewReplacer(pairs...)
}

// text replaces a text: one that is known by its name, one that holds a known one in that part, any other whole.
func (d *disguise) text(kind, s string) string {
	if got, ok := d.names[s]; ok {
		return got
	}
	if out := d.inside.Replace(s); out != s {
		return out
	}
	if kept.MatchString(s) {
		return s
	}
	return d.learn(kind, s)
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
	slices.Sort(all)
	at := int64(0)
	for _, n := range slices.Compact(all) {
		if n <= 0 {
			d.amounts[n] = n // nothing, and what was taken back, are told by their sign
			continue
		}
		var b [8]byte
		copy(b[:], d.sum("amount", big.NewInt(n).String()))
		step := int64(binary.BigEndian.Uint64(b[:])>>40)%max(n-at, 100) + 1
		at = max(at, n/2) + step
		d.amounts[n] = at
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
		for name, one := range v {
			v[name] = d.value(one)
		}
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
