package reconcile

import "slices"

// A stranger is a line of a provider's log that is not ours by claim or operation, and yet carries an action's key or its object: the service may have
// forgotten to write the claim, or nobody mapped the operation. It joins nothing and proves nothing, but where one stands the log does not prove that the
// action's own line is missing.

// Mark is what an action can be told by in a log: a key or an object. Marks of equal Text are one action's, unless both tell the whole scope and differ in it.
type Mark struct {
	Domain RefDomain // RefObject; 0 = the key
	Text   []byte
	Scope  []byte // empty where a component is not known
}

// Meets reports whether two marks may be one action's.
func (m Mark) Meets(o Mark) bool {
	return m.Domain == o.Domain && string(m.Text) == string(o.Text) && (len(m.Scope) == 0 || len(o.Scope) == 0 || string(m.Scope) == string(o.Scope))
}

// StrangerMarks appends the marks of a line that is not ours and may be one of the contract's all the same; none of any other record.
func (c *Contract) StrangerMarks(marks []Mark, r *Record) []Mark {
	if r.Role != RoleProvider || r.Claimed && !r.NotOurs || !c.Effect.external() {
		return marks
	}
	if op := r.Component("operation"); op.known {
		word := op.text
		if alias, ok := c.Aliases[string(word)]; ok {
			word = []byte(alias)
		}
		if !c.Governs(word) {
			return marks
		}
	}
	scope := c.placeText(c.IdentityOf(r))
	if key := c.AppendKey(nil, r); len(key) > 0 {
		marks = append(marks, Mark{Text: key, Scope: scope})
	}
	if r.ProviderKey.known && c.OtherKeys() {
		marks = append(marks, c.SentMark(r.ProviderKey, scope))
	}
	var room [4]Ref
	for _, ref := range AppendRefs(room[:0], r) {
		if ref.Domain == RefObject {
			marks = append(marks, Mark{Domain: RefObject, Text: ref.Value.text, Scope: scope})
		}
	}
	return marks
}

// Marks lists by what a subject's lines could be told in a log.
func (s *Subject) Marks(w *World) []Mark {
	if s.Contract == nil || !s.Contract.Effect.external() {
		return nil
	}
	c := s.Contract
	scope := c.placeText(s.Identity)
	var marks []Mark
	if key := keyOf(s.Identity); key.known {
		marks = append(marks, Mark{Text: c.appendComponent(nil, "key", key), Scope: scope})
	}
	var refs []Ref
	for _, e := range s.Evidence {
		for _, sent := range c.AppendSentKeys(nil, e.Record, w.Source(e.Record.Source)) {
			marks = append(marks, c.SentMark(sent, scope))
		}
		refs = AppendRefs(refs[:0], e.Record)
		for _, ref := range refs {
			if m := (Mark{Domain: RefObject, Text: ref.Value.text, Scope: scope}); ref.Domain == RefObject && !slices.ContainsFunc(marks, m.Meets) {
				marks = append(marks, m)
			}
		}
	}
	return marks
}

// placeText encodes a scope without key and operation, which a line that is not ours need not tell; empty where a component is not known.
func (c *Contract) placeText(id []Component) []byte {
	text := []byte{byte(len(id))}
	for _, p := range id {
		if p.Name == "key" || p.Name == "operation" {
			continue
		}
		if !p.Value.known {
			return nil
		}
		text = c.appendComponent(text, p.Name, p.Value)
	}
	return text
}

// Heed notes that a log holds a stranger to the subject.
func (s *Subject) Heed(source string) {
	if !slices.Contains(s.Strangers, source) {
		s.Strangers = append(s.Strangers, source)
	}
}

// relateStrangers heeds, for every subject, the unclaimed lines among the others.
func relateStrangers(subjects []*Subject, w *World) {
	type line struct {
		source string
		of     map[*Contract][]Mark
	}
	var lines []line
	for _, o := range subjects {
		if o.Contract == nil {
			for _, e := range o.Evidence {
				lines = append(lines, line{e.Record.Source, make(map[*Contract][]Mark)})
				for _, s := range subjects {
					if c := s.Contract; c != nil && lines[len(lines)-1].of[c] == nil {
						lines[len(lines)-1].of[c] = c.StrangerMarks([]Mark{}, e.Record)
					}
				}
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	for _, s := range subjects {
		marks := s.Marks(w)
		for _, l := range lines {
			if slices.ContainsFunc(l.of[s.Contract], func(m Mark) bool { return slices.ContainsFunc(marks, m.Meets) }) {
				s.Heed(l.source)
			}
		}
	}
}
