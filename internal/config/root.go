package config

import (
	"slices"
	"strings"
	"unicode"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/text"
)

// config reads the whole file.
func (d *decoder) config(root value) *Config {
	root.name = "the config"
	cfg := &Config{}
	var versioned bool
	root.fields(map[string]func(value){
		"version": func(v value) {
			versioned = true
			if s := v.text(); s != "1" {
				v.fail("this program reads version: 1", "version %s is not known", quote(s))
			}
		},
		"name": func(v value) { cfg.Name = v.label() },
		"now":  func(v value) { cfg.Now = v.instant() },
		"audit": func(v value) {
			cfg.Audit = v.text()
			if _, ok := cutAny(cfg.Audit, "sqlite:", "postgres://", "postgresql://"); !ok {
				v.fail("write audit: sqlite:PATH, or leave it out", "audit names no store that can hold a trail")
			}
		},
		"contracts": func(v value) {
			for _, item := range v.list() {
				cfg.Contracts = append(cfg.Contracts, d.contract(item))
			}
		},
		"restore": func(v value) {
			for _, item := range v.list() {
				cfg.Events = append(cfg.Events, d.event(item))
			}
		},
		"sources": func(v value) {
			for _, item := range v.list() {
				cfg.Sources = append(cfg.Sources, d.source(item))
			}
		},
	})
	missing := func(absent bool, field, hint string) {
		if absent {
			d.fail(root.at(), hint, "%s is missing", field)
		}
	}
	missing(!versioned, "version", "begin with: version: 1")
	missing(cfg.Name == "", "name", "name it, like: name: orders-prod")
	missing(len(cfg.Contracts) == 0, "contracts", "declare at least one, like: contracts: [{operation: create-order, scope: [tenant, operation, key]}]")
	missing(len(cfg.Sources) == 0, "sources", "declare at least one, like: sources: [{name: receipts, role: receipts, open: sqlite:orders.sqlite, table: receipts, map: {key: id}}]")
	return cfg
}

// event reads one entry of restore.
func (d *decoder) event(v value) reconcile.Event {
	v.name = "a restore event"
	var e reconcile.Event
	kinds := map[string]reconcile.EventKind{
		"restored": reconcile.EventRestored, "cleared": reconcile.EventCleared, "switched": reconcile.EventSwitched, "promoted": reconcile.EventPromoted, "partial": reconcile.EventPartial,
	}
	v.fields(map[string]func(value){
		"store":       func(v value) { e.Store = v.source() },
		"kind":        func(v value) { e.Kind = kinds[v.word("restored", "cleared", "switched", "promoted", "partial")] },
		"restored_to": func(v value) { e.From = v.instant() },
		"lost_to":     func(v value) { e.To = v.instant() },
		"resumed_at":  func(v value) { e.ResumedAt = v.instant() },
		"only":        func(v value) { e.Only = v.partitions() },
	})
	e.To = e.To.Or(e.ResumedAt)
	switch {
	case e.Store == "":
		v.fail("name the source that was restored", "store is missing")
	case e.From.After(e.To):
		v.fail("restored_to is the instant of the backup, lost_to and resumed_at come after it", "the gap ends before it begins")
	case e.To.After(e.ResumedAt):
		v.fail("nothing was lost after the store was in use again", "lost_to lies after resumed_at")
	case e.Kind == reconcile.EventPartial && e.Only == nil:
		v.fail("say what was restored, like only: {tenant: [t07]}", "a partial restore of everything")
	}
	return e
}

// partitions reads parts of a store by component: {tenant: [t07]}. A component that no record carries would name nothing.
func (v value) partitions() map[string][]string {
	out := v.lists()
	for _, e := range v.entries() {
		v.d.later = append(v.d.later, func(cfg *Config) {
			known := append(components(cfg), mapping.StandardComponents...)
			if !slices.Contains(known, e.key) {
				v.d.fail(e.at, suggest(e.key, known), "%s is no component of an identity", quote(e.key))
			}
		})
	}
	return out
}

// label returns a name that can stand in a path, a table and a reference.
func (v value) label() string {
	s := v.text()
	bad := func(r rune) bool { return r == '/' || r == '\\' || r == ':' || !unicode.IsPrint(r) }
	if s != "" && (len(s) > 100 || strings.HasPrefix(s, ".") || strings.ContainsFunc(s, bad) || text.SafeString(s) != s) {
		v.fail("use letters, digits, - and _", "%s cannot be a name: %s", v.name, quote(s))
	}
	return s
}

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok = strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}
