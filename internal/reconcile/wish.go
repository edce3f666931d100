package reconcile

import (
	"slices"
	"strings"
)

// Wish is what one record tells of what its action asks for. Two actions of one place, one actor and one request may be one wish under two keys; what a record
// does not tell is empty, and unknown is neither the same nor another.
type Wish struct {
	Place  []byte // the scope without its key and what is free
	Actor  []byte // whose wish it is; of a contract that names no actor everybody's
	Print  []byte // the fingerprint, behind what it is made of
	Basis  string // what Print is made of: fingerprints that are not made alike cannot be compared
	Params []byte // the parameters in canonical form, else as they stand
	Judged bool   // parameters that differ are two requests: the contract declares how they are compared, and these can be read
}

// Read fills a wish from a record, into its own buffers. A fingerprint that no declaration makes comparable is compared within its own source only.
func (w *Wish) Read(c *Contract, r *Record, f *SourceFacts) {
	*w = Wish{Place: w.Place[:0], Actor: w.Actor[:0], Print: w.Print[:0], Params: w.Params[:0]}
	w.Place = append(w.Place, c.Name...)
	for _, name := range c.Scope {
		if name == "key" || slices.Contains(c.Free, name) {
			continue
		}
		v := r.Component(name)
		if !v.known {
			w.Place = w.Place[:0]
			break
		}
		w.Place = c.appendComponent(w.Place, name, v)
	}
	w.Actor = append(w.Actor, "by"...)
	for _, name := range c.Actor {
		v := r.Field(name)
		if !v.known {
			w.Actor = w.Actor[:0]
			break
		}
		w.Actor = c.appendComponent(w.Actor, name, v)
	}
	w.readRequest(c, r, f)
}

func (w *Wish) readRequest(c *Contract, r *Record, f *SourceFacts) {
	if r.Fingerprint.known {
		w.Basis = PrintBasis(c, f, r.Source)
		w.Print = append(append(append(w.Print, w.Basis...), 0), r.Fingerprint.text...)
	}
	if !r.Params.known {
		return
	}
	canon, err := Canonical(r.Params.text, c.Params)
	if w.Judged = err == nil && c.Params != nil; err == nil {
		w.Params = append(append(w.Params, "params:"...), canon...)
		return
	}
	w.Params = append(append(w.Params, "as-it-stands:"...), r.Params.text...)
}

// PrintBasis names what the fingerprints of a source are made of.
func PrintBasis(c *Contract, f *SourceFacts, source string) string {
	spec := c.Fingerprint
	if f != nil && f.Fingerprint != nil {
		spec = f.Fingerprint
	}
	if spec == nil {
		return "own\x00" + source
	}
	return "fp\x00" + spec.Algorithm + "\x00" + strings.Join(spec.Over, "\x00") + "\x00" + string(rune(spec.Version))
}

// wishes is what all records of an action tell of what it asks for.
type wishes struct {
	place    string
	actors   []string // each once; none = unknown
	requests []string // texts of which one in common makes one request
	bases    []string // what they can be compared by, sorted: where two actions have none in common, nobody knows
}

const judgedParams = "params"

func (w *wishes) add(one *Wish) {
	note := func(list []string, text string) []string {
		if text == "" || slices.Contains(list, text) {
			return list
		}
		return append(list, text)
	}
	w.actors = note(w.actors, string(one.Actor))
	w.requests = note(note(w.requests, string(one.Print)), string(one.Params))
	w.bases = note(w.bases, one.Basis)
	if one.Judged {
		w.bases = note(w.bases, judgedParams)
	}
	slices.Sort(w.bases)
}

// comparableBy reports whether two lists have something in common by which requests are compared.
func comparableBy(a, b []string) bool {
	return slices.ContainsFunc(a, func(basis string) bool { return slices.Contains(b, basis) })
}

// wishesOf gathers what the records of an action tell; nil where no key tells it from others.
func wishesOf(s *Subject, w *World) *wishes {
	if s.Contract == nil || !keyOf(s.Identity).known {
		return nil
	}
	return gather(s, w)
}

// rowWish is what a row tells of which nobody knows under which key it was asked for; nil where it does not tell whose wish it is, where, and for what: then it
// says of no other action that it may be the same.
func rowWish(s *Subject, w *World) *wishes {
	if !s.Stray() || len(s.Contract.Actor) == 0 || !slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.Record.Role == RoleEffect && Effective(e.Record) }) {
		return nil
	}
	of := gather(s, w)
	if of.place == "" || len(of.actors) == 0 || len(of.requests) == 0 {
		return nil
	}
	return of
}

func gather(s *Subject, w *World) *wishes {
	out := &wishes{}
	whole := Record{Components: s.Identity}
	var one Wish
	one.Read(s.Contract, &whole, nil)
	out.place = string(one.Place)
	for _, e := range s.Evidence {
		one.Read(s.Contract, e.Record, w.Source(e.Record.Source))
		out.add(&one)
	}
	return out
}
