package reconcile

import (
	"bytes"
	"fmt"
)

// KeyShape is what a key's text looks like that should never have become a key: keys stand in logs, headers and other people's dashboards.
type KeyShape uint8

// The shapes. ShapePlain is a key of which nothing is said.
const (
	ShapePlain KeyShape = iota
	ShapeCredential
	ShapeEmail
	ShapeCard
)

// KeyShapes is how many shapes there are, the plain one included.
const KeyShapes = int(ShapeCard) + 1

var shapeWords = [KeyShapes]string{"", "a credential", "an e-mail address", "a card number"}

func (s KeyShape) String() string { return shapeWords[s] }

// The lengths of what looks for a shape.
const (
	cardLeast, cardMost = 13, 19
	secretLeast         = 16 // characters after a credential's prefix
)

// secretPrefixes begin credentials of which whoever issued them says how they begin. What is public by design, like a publishable key, is not among them.
var secretPrefixes = []string{
	"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
	"xoxb-", "xoxp-", "xoxa-", "xapp-", "shpat_", "npm_", "AIza", "SG.", "eyJ", "Bearer ", "Basic ",
}

// secretStarts are the bytes with which one of them begins: nearly every key of millions has none that does.
var secretStarts = func() (starts [256]bool) {
	for _, prefix := range secretPrefixes {
		starts[prefix[0]] = true
	}
	return starts
}()

// ShapeOf tells the shape of a key's text: a credential before an e-mail address before a card number.
func ShapeOf(key []byte) KeyShape {
	digits, most, mail, start := 0, 0, false, true
	for i, b := range key {
		switch {
		case isDigit(b):
			if digits++; digits > most {
				most = digits
			}
		case b == '@':
			mail, digits = true, 0
		case (b == '-' || b == ' ') && digits > 0:
		default:
			digits = 0
		}
		if start && secretStarts[b] && isCredential(key[i:]) {
			return ShapeCredential
		}
		start = !isWordByte(b)
	}
	switch {
	case mail && hasEmail(key):
		return ShapeEmail
	case most >= cardLeast && hasCard(key):
		return ShapeCard
	}
	return ShapePlain
}

func isWordByte(b byte) bool {
	return isDigit(b) || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '_'
}

func isCredential(text []byte) bool {
	for _, prefix := range secretPrefixes {
		if rest, ok := bytes.CutPrefix(text, []byte(prefix)); ok {
			secret, dots := 0, 0
			for _, b := range rest {
				if b == '.' {
					dots++
				} else if !isWordByte(b) && b != '-' && b != '+' && b != '/' && b != '=' {
					break
				}
				secret++
			}
			return secret >= secretLeast && (prefix != "eyJ" || dots == 2) // a token that tells its own form has three parts
		}
	}
	return false
}

// hasEmail reports whether some part of the text reads name@host.tld.
func hasEmail(text []byte) bool {
	for i, b := range text {
		if b == '@' && i > 0 && isMailByte(text[i-1]) && isHost(text[i+1:]) {
			return true
		}
	}
	return false
}

func isMailByte(b byte) bool { return isWordByte(b) || b == '.' || b == '-' || b == '+' }

// isHost reports whether a text begins with a host name whose last label has letters only, and two of them at least.
func isHost(text []byte) bool {
	end := 0
	for end < len(text) && (isWordByte(text[end]) && text[end] != '_' || text[end] == '.' || text[end] == '-') {
		end++
	}
	host := bytes.Trim(text[:end], ".-")
	dot := bytes.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 {
		return false
	}
	for _, b := range host[dot+1:] {
		if b < 'A' || b > 'Z' && b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}

// hasCard reports whether the text holds a card number by itself: digits, or groups of them, that no letter or digit continues.
func hasCard(text []byte) bool {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) || i > 0 && isWordByte(text[i-1]) {
			i++
			continue
		}
		number, end := digitsOf(text, i)
		if (end == len(text) || !isWordByte(text[end])) && isCard(number) {
			return true
		}
		i = end
	}
	return false
}

// digitsOf reads digits from a place on, a single dash or blank between two of them left out, and tells where they end.
func digitsOf(text []byte, from int) (number []byte, end int) {
	for end = from; end < len(text); end++ {
		switch b := text[end]; {
		case isDigit(b):
			number = append(number, b)
		case (b == '-' || b == ' ') && end+1 < len(text) && isDigit(text[end+1]):
		default:
			return number, end
		}
	}
	return number, end
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// cardRange is a range of issuers' first digits with the lengths of their numbers.
type cardRange struct{ from, to, digits, least, most int }

var cardRanges = []cardRange{
	{4, 4, 1, 16, 16},
	{4, 4, 1, 13, 13},
	{4, 4, 1, 19, 19},
	{51, 55, 2, 16, 16},
	{2221, 2720, 4, 16, 16},
	{34, 34, 2, 15, 15},
	{37, 37, 2, 15, 15},
	{6011, 6011, 4, 16, 19},
	{644, 649, 3, 16, 19},
	{65, 65, 2, 16, 19},
	{3528, 3589, 4, 16, 19},
	{300, 305, 3, 14, 14},
	{36, 36, 2, 14, 14},
	{38, 39, 2, 14, 14},
	{62, 62, 2, 16, 19},
}

// isCard reports whether digits are a card number: an issuer's range, a length of that issuer, a check digit that is right. One digit string in ten has the
// last by chance.
func isCard(digits []byte) bool {
	if len(digits) < cardLeast || len(digits) > cardMost || !luhn(digits) {
		return false
	}
	for _, r := range cardRanges {
		first := 0
		for _, d := range digits[:r.digits] {
			first = first*10 + int(d-'0')
		}
		if first >= r.from && first <= r.to && len(digits) >= r.least && len(digits) <= r.most {
			return true
		}
	}
	return false
}

func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d - '0')
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// Masked returns an identity whose key tells its shape and length instead of its text.
func Masked(id []Component, shape KeyShape) []Component {
	out := cloneComponents(id)
	for i := range out {
		if v := &out[i].Value; out[i].Name == "key" && v.known {
			*v = Text(fmt.Sprintf("(%s, %d bytes)", shape, len(v.text)))
		}
	}
	return out
}

// sensitiveKey holds beside other kinds only: of all keys of one shape the contract's finding tells, never a case each.
func sensitiveKey(j *judging) (bool, []string, map[string]string) {
	shape := ShapeOf(keyOf(j.s.Identity).text)
	if shape == ShapePlain || len(j.out.Kinds) == 0 {
		return false, nil, nil
	}
	for _, e := range j.s.Evidence {
		if e.Record.Key().known {
			return true, []string{ref(e.Record)}, map[string]string{"shape": shape.String()}
		}
	}
	return true, nil, map[string]string{"shape": shape.String()}
}

// SensitiveText says what is wrong with so many keys and what to do, without showing one.
func SensitiveText(shape KeyShape, n int64) string {
	many := fmt.Sprintf("%d keys have", n)
	if n == 1 {
		many = "1 key has"
	}
	return fmt.Sprintf("%s the shape of %s. Keys stand in logs, headers and dashboards of others: make them of random bytes, and treat these as disclosed.", many, shape)
}
