package report

import (
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

type (
	dueJSON struct {
		At     instant `json:"at"`
		Source shown   `json:"source,omitempty"`
		Text   shown   `json:"text"`
	}
	watermarkJSON struct {
		Contract shown   `json:"contract"`
		Source   shown   `json:"source"` // whose coverage ends first
		To       instant `json:"to"`
		NotDue   int64   `json:"not_due"`
		NextDue  instant `json:"next_due"`
		LastDue  instant `json:"last_due"`
	}
)

func watermarksJSON(in []scan.Watermark) []watermarkJSON {
	out := make([]watermarkJSON, 0, len(in))
	for _, w := range in {
		out = append(out, watermarkJSON{shown(w.Contract), shown(w.Source), instant(w.To), w.NotDue, instant(w.Next), instant(w.Last)})
	}
	return out
}

// DueSentence says when a case is worth looking at again, "" where no time alone settles what is open in it.
func DueSentence(d reconcile.Due) string {
	if !d.At.Known() {
		return ""
	}
	return "Not due before " + momentText(d.At) + ": " + text.SafeString(d.Text) + "."
}

// notDue says what time alone will settle.
func (p *page) notDue(marks []scan.Watermark) {
	for _, w := range marks {
		if w.NotDue == 0 {
			continue
		}
		until := "at " + momentText(w.Next)
		if w.Next != w.Last {
			until = "from " + momentText(w.Next) + " to " + momentText(w.Last)
		}
		p.flow(2, "%d of %s not due yet: to be judged %s; all its sources cover to %s (%s)",
			w.NotDue, text.SafeString(w.Contract), until, momentText(w.To), text.SafeString(w.Source))
	}
}
