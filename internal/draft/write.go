package draft

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// Write makes the config of what was found. It fails with ErrNothing where that is nothing.
func Write(name string, found *Found) ([]byte, error) {
	if len(found.Sources) == 0 {
		return nil, ErrNothing
	}
	w := &writer{}
	w.line("# Drafted by idemctl init. What stands here was read from the stores; what begins with # is yours to settle. Then: idemctl check")
	w.line("version: 1")
	w.line("name: %s", quoted(name))
	w.line("")
	w.line("contracts:")
	w.contract(found)
	w.line("")
	w.line("sources:")
	main := serving(found)
	for i := range found.Sources {
		w.source(&found.Sources[i], main)
	}
	w.passed(found)
	data := w.b.Bytes()
	held := func(name string) string {
		if slices.ContainsFunc(found.Sources, func(s Source) bool { return s.Open == "${"+name+"}" }) {
			return "postgres://host/database" // the variable is the whole of it
		}
		return "set"
	}
	if _, err := config.Read("the draft", data, held); err != nil {
		return nil, fmt.Errorf("drafting a config: %w", err)
	}
	return data, nil
}

// passed names what was passed over: rows without a key may be what the receipts name.
func (w *writer) passed(found *Found) {
	if len(found.Aside) > 0 {
		w.remark(2, "files in which no known format was recognised: %s", text.Truncate(strings.Join(found.Aside, ", "), 200))
	}
	const most = 10
	for i, name := range found.Passed {
		if i == most {
			w.remark(2, "and %d more were passed over", len(found.Passed)-most)
			return
		}
		w.remark(2, "passed over: %s. If the receipts name its rows: role: effects, map: {effect_id: id}, and the receipts' map says where: {effect_id: result.id}", name)
	}
}

// PlainName makes a config's name of a file's or a database's.
func PlainName(s string) string {
	if name := plainName(s); name != "" {
		return name
	}
	return "draft"
}

type writer struct{ b bytes.Buffer }

func (w *writer) line(format string, a ...any) {
	fmt.Fprintf(&w.b, format+"\n", a...)
}

// quoted writes a text as YAML reads it back, whatever it holds.
func quoted(s string) string { return strconv.Quote(s) }

// remark writes comments; their texts are this program's own, names in them are made safe.
func (w *writer) remark(indent int, format string, a ...any) {
	w.line("%s# %s", strings.Repeat(" ", indent), text.SafeString(fmt.Sprintf(format, a...)))
}

// contract writes what the presets suggest: all that the one of the receipts says, and what others of the same store, or a provider's, say besides.
func (w *writer) contract(found *Found) {
	w.line("  - operation: \"*\"                # name the service's operations, a contract for each that differs")
	main := receipts(found)
	if main == nil {
		main = first(found, reconcile.RoleEffect)
	}
	given := map[string]bool{}
	take := func(s *Source) {
		for _, line := range s.Preset.Text {
			field, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), ":")
			if !given[field] {
				w.line("    %s", line)
			}
			given[field] = true
		}
	}
	var scope []string
	switch {
	case main == nil:
	case main.Preset != nil:
		take(main)
	case len(main.Scope) > 0:
		scope = main.Scope
		w.line("    scope: [%s]   # the columns of its unique index", strings.Join(scope, ", "))
		given["scope"] = true
	}
	for i := range found.Sources {
		s := &found.Sources[i]
		if s.Preset == nil || s == main {
			continue
		}
		if s.Role == reconcile.RoleProvider || main == nil || main.Preset != nil && main.Preset.Store == s.Preset.Store {
			take(s)
		}
	}
	if !given["scope"] {
		w.line("    scope: [key]")
		w.remark(4, "scope: [tenant, operation, key]   # all that makes a key unique: no unique index says it")
	}
	for _, line := range []string{
		"effect: both            # where its effect stands: local, in rows; external, at a provider; both",
		"retention: 24h          # how long a receipt lives that has no expiry of its own",
		"expiry: {at: exclusive, by: read-check}   # or by: reaper where a present row counts whatever its age",
		"retry_window: 72h       # how long a client may retry",
		"lease: 5m               # how long a worker holds a receipt",
	} {
		field, _, _ := strings.Cut(line, ":")
		if !given[field] {
			w.remark(4, "%s", line)
		}
	}
}

// first is the first source of a role that a preset reads, nil where there is none.
func first(found *Found, role reconcile.Role) *Source {
	for i := range found.Sources {
		if s := &found.Sources[i]; s.Role == role && s.Preset != nil {
			return s
		}
	}
	return nil
}

// receipts is the source of receipts that serves: of those that a preset reads the first, else the first.
func receipts(found *Found) *Source {
	if s := first(found, reconcile.RoleReceipt); s != nil {
		return s
	}
	for i := range found.Sources {
		if s := &found.Sources[i]; s.Role == reconcile.RoleReceipt {
			return s
		}
	}
	return nil
}

// serving tells, for receipts and effects, which sources serve; none where it goes without saying.
func serving(found *Found) map[string]bool {
	out := map[string]bool{}
	main := receipts(found)
	store := ""
	count, stores := 0, map[string]bool{}
	for i := range found.Sources {
		switch s := &found.Sources[i]; s.Role {
		case reconcile.RoleReceipt:
			count++
		case reconcile.RoleEffect:
			stores[s.store] = true
			if store == "" {
				store = s.store
			}
		case reconcile.RoleProvider, reconcile.RoleIntent, reconcile.RoleOutbox:
		}
	}
	for i := range found.Sources {
		s := &found.Sources[i]
		switch {
		case s.Role == reconcile.RoleReceipt && count > 1:
			out[s.Name] = s == main
		case s.Role == reconcile.RoleEffect && len(stores) > 1:
			out[s.Name] = s.store == store
		}
	}
	return out
}

func (w *writer) source(s *Source, serves map[string]bool) {
	if p := s.Preset; p != nil {
		w.remark(2, "%s; versions: %s", p.Title, p.Versions)
	} else {
		w.remark(2, "No preset fits this table: its columns were recognised by their names. Look at each.")
	}
	w.line("  - name: %s", s.Name)
	if s.Preset == nil {
		w.line("    role: %s", s.Role)
	}
	if s.Note != "" {
		w.remark(4, "%s", s.Note)
	}
	w.line("    open: %s", quoted(s.Open))
	if s.Preset != nil {
		w.line("    preset: %s", s.Preset.Name)
	}
	if s.Table != "" {
		w.line("    table: %s", quoted(s.Table))
	}
	if is, said := serves[s.Name]; said {
		w.line("    serves: %t", is)
		if !is && s.Role == reconcile.RoleReceipt {
			w.remark(4, "a config is for one service: where this is the store that it asks, let it serve instead, and take its contract from docs/presets.md")
		}
	}
	w.fields(s)
	if len(s.Also) > 0 {
		w.remark(4, "preset: %s   # fits as well", strings.Join(s.Also, ", "))
	}
	if s.Preset != nil {
		w.operations(s)
		for _, note := range s.Preset.Notes {
			w.remark(4, "note: %s", note)
		}
		for _, choice := range s.Preset.Choices {
			w.remark(4, "%s", choice)
		}
	}
	for _, line := range s.Unsure {
		w.remark(4, "%s", line)
	}
	if s.Table == "" && !slices.Contains([]reconcile.Role{reconcile.RoleReceipt}, s.Role) {
		w.remark(4, "coverage: {from: 2026-11-01T00:00:00Z, to: 2026-11-30T00:00:00Z, lag: 15m}   # what the file is known to hold; without it, its first to its last record")
	}
}

// operations asks which of a provider's own words are which operation of the service: no preset can know.
func (w *writer) operations(s *Source) {
	if s.Role != reconcile.RoleProvider {
		return
	}
	for i := range s.Preset.Source.Map {
		if f := &s.Preset.Source.Map[i]; f.Name == "operation" && f.From != "" && len(f.Words) == 0 {
			w.remark(4, "map: {operation: {from: %s, words: {WORD: create-order}}}  # which of its words are which operation of yours; what no word names is not yours", plain(f.From))
		}
	}
}

func (w *writer) fields(s *Source) {
	if len(s.Map) == 0 {
		return
	}
	w.line("    map:")
	for _, l := range s.Map {
		from := l.From
		if l.Note != "" {
			from += "   # " + l.Note
		}
		w.line("      %s: %s", l.Fact, from)
	}
}

// plain writes a column's path: as it is where YAML reads it so, else in quotes.
func plain(path string) string {
	switch strings.ToLower(path) {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return quoted(path)
	}
	if path[0] >= '0' && path[0] <= '9' {
		return quoted(path)
	}
	for _, r := range path {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return quoted(path)
		}
	}
	return path
}
