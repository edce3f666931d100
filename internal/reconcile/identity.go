package reconcile

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// IdentityOf returns the components of the contract's scope as r carries them, in the scope's order; one that r does not carry is unknown.
func (c *Contract) IdentityOf(r *Record) []Component {
	return c.AppendComponents(make([]Component, 0, len(c.Scope)), r)
}

// AppendComponents is IdentityOf into a buffer of the caller's.
func (c *Contract) AppendComponents(buf []Component, r *Record) []Component {
	for _, name := range c.Scope {
		v := r.Component(name)
		if name == "key" {
			v = c.keyIn(r)
		}
		buf = append(buf, Component{Name: name, Value: v})
	}
	return buf
}

// keyIn is the action's key in a record. A provider logs the key that it was sent: where that is made from the action's by a template, it is taken out again,
// and a line that tells no key but the provider's own is told by that.
func (c *Contract) keyIn(r *Record) Value {
	key := r.Key()
	if r.Role != RoleProvider || !c.Effect.external() {
		return key
	}
	switch c.ProviderKey.Rule {
	case ProviderKeySame:
		return key.Or(r.ProviderKey)
	case ProviderKeyTemplate:
		before, after, one := c.aroundKey()
		if !one || before+after == "" {
			return key
		}
		text, head := bytes.CutPrefix(key.Or(r.ProviderKey).text, []byte(before))
		if text, tail := bytes.CutSuffix(text, []byte(after)); head && tail {
			return Bytes(text)
		}
	case ProviderKeyColumn, ProviderKeyMinted:
	}
	return key
}

// Whole reports whether every component is known.
func Whole(cs []Component) bool {
	for i := range cs {
		if !cs[i].Value.known {
			return false
		}
	}
	return len(cs) > 0
}

// AppendIdentity appends an encoding of cs in which equal bytes mean equal identities under the contract: every component is preceded by its
// length, so ("a","bc") and ("ab","c") differ, and unknown differs from empty.
func (c *Contract) AppendIdentity(buf []byte, cs []Component) []byte {
	for i := range cs {
		buf = c.appendComponent(buf, cs[i].Name, cs[i].Value)
	}
	return buf
}

// AppendKey appends the key component of r as AppendIdentity would; nothing where r carries none.
func (c *Contract) AppendKey(buf []byte, r *Record) []byte {
	if key := c.keyIn(r); key.known {
		buf = c.appendComponent(buf, "key", key)
	}
	return buf
}

func (c *Contract) appendComponent(buf []byte, name string, v Value) []byte {
	if !v.known {
		return append(buf, 0)
	}
	text := c.fold(name, v.text)
	buf = append(buf, 1)
	buf = binary.AppendUvarint(buf, uint64(len(text)))
	return append(buf, text...)
}

// fold applies the store's own collation, where the contract declares one.
func (c *Contract) fold(name string, b []byte) []byte {
	switch c.Compare[name] {
	case CompareCI:
		return bytes.ToLower(b)
	case CompareTrim:
		return bytes.TrimRight(b, " ")
	case CompareNFC:
		if c.Normalise != nil {
			return c.Normalise(b)
		}
	case CompareBytes:
	}
	return b
}

// agree reports whether two component lists of one scope differ in no component that both carry.
func (c *Contract) agree(a, b []Component) bool {
	for i := range a {
		x, y := a[i].Value, b[i].Value
		if x.known && y.known && !bytes.Equal(c.fold(a[i].Name, x.text), c.fold(a[i].Name, y.text)) {
			return false
		}
	}
	return true
}

// fuller returns a with each unknown component taken from b.
func fuller(a, b []Component) []Component {
	out := append([]Component(nil), a...)
	for i := range out {
		if !out[i].Value.known {
			out[i].Value = b[i].Value
		}
	}
	return out
}

func knownCount(cs []Component) int {
	n := 0
	for i := range cs {
		if cs[i].Value.known {
			n++
		}
	}
	return n
}

// caseEncoding spells a digest as a case id: lower-case base32 without padding, readable aloud.
var caseEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// caseIDBytes is 80 bits: among a billion cases the chance that two share an id is below one in a million.
const caseIDBytes = 10

// caseID names a subject by its scope's component names and values, or, keyless, by role, source and its own id; never by kind, file, line or contract name.
func caseID(s *Subject, w *World) string {
	if s.Contract != nil && keyOf(s.Identity).known {
		return s.Contract.CaseID(s.Identity)
	}
	r := nameGiver(s)
	buf := append([]byte("keyless\x00"+r.Role.String()+"\x00"+r.Source+"\x00"), ownID(r, w)...)
	if s.Contract != nil { // two tenants may each have a row 7
		buf = s.Contract.AppendIdentity(append(buf, 0), s.Identity)
	}
	return caseName(buf)
}

// CaseID is the id of the case of an identity whose key is known. Of contracts whose scopes are made of the same components and leave the operation out, all but
// the first name theirs by their operation too: one key is an action of each.
func (c *Contract) CaseID(identity []Component) string {
	buf := []byte("identity\x00")
	if c.ScopeOfAnother {
		buf = append(append(buf, c.Operations[0]...), 0, 0)
	}
	for i := range identity {
		buf = append(append(buf, identity[i].Name...), 0)
	}
	return caseName(c.AppendIdentity(buf, identity))
}

func caseName(of []byte) string {
	sum := sha256.Sum256(of)
	return caseEncoding.EncodeToString(sum[:caseIDBytes])
}

func keyOf(cs []Component) Value {
	for i := range cs {
		if cs[i].Name == "key" {
			return cs[i].Value
		}
	}
	return Value{}
}

// nameGiver picks the record a keyless subject is named by: an effect before a provider entry before anything else, then the least by its own id. A line that it
// shares with others names none of them but the one whose it is.
func nameGiver(s *Subject) *Record {
	rank := map[Role]int{RoleEffect: 0, RoleProvider: 1, RoleReceipt: 2, RoleOutbox: 3, RoleIntent: 4}
	var rs []*Record
	own := slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return !e.Shared })
	for _, e := range s.Evidence {
		if !own || !e.Shared {
			rs = append(rs, e.Record)
		}
	}
	sort.Slice(rs, func(i, j int) bool {
		if a, b := rank[rs[i].Role], rank[rs[j].Role]; a != b {
			return a < b
		}
		return strings.Compare(rs[i].Source+"\x00"+string(recordText(rs[i])), rs[j].Source+"\x00"+string(recordText(rs[j]))) < 0
	})
	return rs[0]
}

// ownID returns what distinguishes a keyless record in its source: its own id, else a table's primary key, else its content.
func ownID(r *Record, w *World) []byte {
	for _, v := range []Value{ownRef(r), r.EventID, r.MessageID} {
		if v.known {
			return append([]byte("id\x00"), v.text...)
		}
	}
	if f := w.Source(r.Source); f != nil && f.Table && r.Locator != "" {
		return []byte("row\x00" + r.Locator)
	}
	return append([]byte("text\x00"), recordText(r)...)
}

// ownRef is the reference by which others point at the record.
func ownRef(r *Record) Value {
	switch r.Role {
	case RoleEffect:
		return r.EffectID
	case RoleProvider:
		return r.ObjectID
	case RoleOutbox:
		return r.MessageID
	case RoleIntent, RoleReceipt:
	}
	return Value{}
}
