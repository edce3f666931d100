package restoreplan

import (
	"fmt"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// identityText names an action on one line.
func identityText(id []reconcile.Component) string {
	parts := make([]string, len(id))
	for i, c := range id {
		parts[i] = text.SafeString(c.Name) + "=unknown"
		if c.Value.Known() {
			parts[i] = text.SafeString(c.Name) + "=" + text.Safe(c.Value.Bytes())
		}
	}
	return strings.Join(parts, " ")
}

// gapText says which loss a plan mends.
func gapText(g *reconcile.Gap) string {
	from, to := "an unknown time", "an unknown time"
	if g.From.Known() {
		from = shownTime(g.From)
	}
	if g.To.Known() {
		to = shownTime(g.To)
	}
	how := "inferred, not confirmed by anybody"
	if g.Declared {
		how = "declared"
	}
	return fmt.Sprintf("%s: %s, what it wrote from %s to %s may be gone (%s)", text.SafeString(g.Store), g.Kind, from, to, how)
}

// head says what the script is, what it rests on, and how to run it.
func (p *Plan) head(out *script, to *store) {
	m := p.in.Manifest
	say := func(format string, args ...any) { out.put("-- "+format+"\n", args...) }
	say("idemctl: receipts to put back into %s (table %s) before traffic is let in again.", text.SafeString(to.spec.Name), text.SafeString(to.spec.Table))
	say("Config %s, %s; scan of %s.", text.SafeString(m.Name), m.ConfigDigest, shownTime(m.Now))
	for i := range m.Gaps {
		say("Gap: %s.", gapText(&m.Gaps[i]))
	}
	if !m.Complete {
		say("INCOMPLETE: not everything could be read as declared; what could not be is told by idemctl check, and nothing is put back on its account.")
	}
	say("%d to put back; %d cannot be rebuilt and are listed at the end.", p.Insertable, p.Unbuildable)
	say("")
	say("idemctl never runs this. Each insert looks for itself whether a receipt of its key stands, and whether the effect still does.")
	say("Run a second time it changes nothing. Read it, then:")
	if to.dialect == postgres {
		say("  psql -v ON_ERROR_STOP=1 -f THIS_FILE")
	} else {
		say("  sqlite3 -bail DATABASE < THIS_FILE")
	}
	say("and scan again: no key may be left that a retry would execute again.")
	for _, s := range p.elsewhere {
		say("")
		say("%s lies in another database, at which this script cannot look: that its rows still stand is as of the scan.", text.SafeString(s))
		say("Run this while no traffic is let in, or make the plan anew right before.")
	}
}

// tail lists what the script leaves undone.
func (p *Plan) tail(out *script, skipped []string) error {
	for _, s := range skipped {
		out.put("\n-- Not done: %s.\n", s)
	}
	if p.Unbuildable == 0 {
		return nil
	}
	out.put("\n-- Receipts that cannot be rebuilt. Hold their keys, or decide each case by itself.\n")
	return p.each(nil, func(u Unbuildable) error {
		out.put("-- %s: %s: %s\n", u.Case, identityText(u.Identity), text.SafeString(u.Reason))
		return out.err
	})
}
