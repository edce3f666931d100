package histories_test

import (
	"fmt"
	"strings"
	"time"

	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
)

// configText is the config of a past's service, but for its sources.
func configText(h *histories.History) string {
	c := h.Book[0]
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: lived\nnow: %s\ncontracts:\n  - operation: %s\n    scope: [tenant, operation, key]\n    effect: %s\n    atomic: %v\n", stamp(h.World.Now), c.Name,
		map[reconcile.Legs]string{reconcile.LegsLocal: "local", reconcile.LegsExternal: "external", reconcile.LegsBoth: "both"}[c.Effect], c.Atomic)
	fmt.Fprintf(&b, "    settle: %s\n    margin: %s\n    twin_window: %s\n    retention: %s\n    retry_window: %s\n    params: {from: params}\n    rebuild: {response_status: 201}\n", c.Settle, c.Margin, c.TwinWindow, c.Retention.D, c.RetryWindow.D)
	for name, span := range map[string]reconcile.Span{"lease": c.Lease, "dead_after": c.DeadAfter} {
		if span.Valid {
			fmt.Fprintf(&b, "    %s: %s\n", name, span.D)
		}
	}
	fmt.Fprintf(&b, "    order: %s\n", map[reconcile.Order]string{reconcile.OrderLocalFirst: "local-first", reconcile.OrderProviderFirst: "provider-first"}[c.Order])
	if c.Expiry.ByReaper {
		b.WriteString("    expiry: {by: reaper}\n")
	}
	if len(c.Actor) > 0 {
		b.WriteString("    actor: [customer]\n")
	}
	for _, u := range c.Unique {
		fmt.Fprintf(&b, "    unique: [{columns: [%s], where: {status: %s}}]\n", strings.Join(u.Columns, ", "), u.Where["status"])
	}
	if p := c.Provider; p != nil {
		kind := map[reconcile.RetentionKind]string{reconcile.RetentionNone: "none", reconcile.RetentionExact: "exact", reconcile.RetentionMinimum: "minimum", reconcile.RetentionForever: "forever"}[p.Retention]
		if p.Retention == reconcile.RetentionExact || p.Retention == reconcile.RetentionMinimum {
			kind += ", for: " + p.For.String()
		}
		dedup := "true, retention: {kind: " + kind + "}"
		if !p.Dedup {
			dedup = "false"
		}
		if p.Scope != nil {
			dedup += ", scope: [" + strings.Join(p.Scope, ", ") + "]"
		}
		fmt.Fprintf(&b, "    provider: {dedup: %s, lag: %s}\n    provider_key: %s\n", dedup, p.Lag, providerKey(c.ProviderKey))
	}
	if len(h.World.Events) > 0 {
		b.WriteString("restore:\n")
	}
	kinds := map[reconcile.EventKind]string{reconcile.EventRestored: "restored", reconcile.EventCleared: "cleared", reconcile.EventSwitched: "switched", reconcile.EventPromoted: "promoted"}
	for _, e := range h.World.Events {
		fmt.Fprintf(&b, "  - store: %s\n    kind: %s\n    resumed_at: %s\n", e.Store, kinds[e.Kind], stamp(e.ResumedAt))
		if e.From.Known() {
			fmt.Fprintf(&b, "    restored_to: %s\n", stamp(e.From))
		}
	}
	return b.String() + "sources:\n"
}

func providerKey(k reconcile.ProviderKey) string {
	switch k.Rule {
	case reconcile.ProviderKeyMinted:
		return "minted"
	case reconcile.ProviderKeyTemplate:
		return fmt.Sprintf("{template: %q}", k.Template)
	case reconcile.ProviderKeySame, reconcile.ProviderKeyColumn:
	}
	return "same"
}

func stamp(i reconcile.Instant) string { return i.Time().Format(time.RFC3339Nano) }

// sourceText is one source of the config: what is known of it, and what each of its columns holds.
func sourceText(h *histories.History, f *reconcile.SourceFacts, open string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: %s\n    role: %s\n    open: %s\n    skew: %s\n", f.Name, f.Role, open, f.Skew)
	if f.Role == reconcile.RoleReceipt || f.Role == reconcile.RoleEffect {
		fmt.Fprintf(&b, "    serves: %v\n", f.Serves)
	}
	if f.Retained.Valid {
		fmt.Fprintf(&b, "    retained: %s\n", f.Retained.D)
	}
	if !strings.HasPrefix(open, "sqlite") {
		from := f.Coverage.From
		if !from.Known() {
			from = reconcile.At(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		}
		fmt.Fprintf(&b, "    coverage: {from: %s, to: %s, lag: %s}\n", stamp(from), stamp(f.Coverage.To), f.Coverage.Lag)
	}
	b.WriteString("    map:\n")
	for _, c := range has(h, f) {
		to, field := c, c
		switch {
		case c == "sent":
			to = "state"
			field = words3(c)
		case c == "amount":
			field = "{from: amount, unit: minor, currency: {value: EUR}}"
		case closed[c] != "":
			field = words3(c)
		case c == "attempts":
			field = "{from: attempts, words: {uncertain: uncertain, confirmed: confirmed, rejected: rejected, failed: failed}}"
		}
		fmt.Fprintf(&b, "      %s: %s\n", to, field)
	}
	return b.String()
}

// words3 maps a closed fact's own words to themselves.
func words3(column string) string {
	var pairs []string
	for _, w := range strings.Fields(closed[column]) {
		pairs = append(pairs, w+": "+w)
	}
	return "{from: " + column + ", words: {" + strings.Join(pairs, ", ") + "}}"
}
