package scan

import "example.com/idemctl/internal/reconcile"

// Watermark is how far the sources of a contract reach together, and how many subjects are not judged yet that time alone will settle.
type Watermark struct {
	Contract string
	Source   string // whose coverage ends first
	To       reconcile.Instant
	NotDue   int64
	Next     reconcile.Instant // when the first of them becomes due, and the last
	Last     reconcile.Instant
}

// dues gathers, per contract, what is not due yet.
type dues map[*reconcile.Contract]*Watermark

func (d dues) add(c *reconcile.Contract, v *reconcile.Judgement) {
	if !v.Due.At.Known() || (v.Class != reconcile.ClassInFlight && v.Class != reconcile.ClassInconclusive) {
		return
	}
	w := d[c]
	if w == nil {
		w = &Watermark{}
		d[c] = w
	}
	w.NotDue++
	w.Next, w.Last = reconcile.Earliest(w.Next, v.Due.At), reconcile.Latest(w.Last, v.Due.At)
}

// list returns the watermarks in the book's order; a contract without a source that proves anything has none.
func (d dues) list(b reconcile.Book, world *reconcile.World) []Watermark {
	var out []Watermark
	for _, c := range b {
		source, to := world.Watermark(c)
		if !to.Known() {
			continue
		}
		w := Watermark{}
		if have := d[c]; have != nil {
			w = *have
		}
		w.Contract, w.Source, w.To = c.Name, source, to
		out = append(out, w)
	}
	return out
}
