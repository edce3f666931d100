package restoreplan

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/text"
)

// unless are the conditions under which a receipt of the same identity stands already, whoever wrote it.
func (r *row) unless() ([]condition, error) {
	var out []condition
	key := false
	for i := range r.to.spec.Map {
		f := &r.to.spec.Map[i]
		if f.Const != nil || !slices.ContainsFunc(r.k.c.Identity, func(c reconcile.Component) bool { return c.Name == f.Name }) {
			continue
		}
		v, err := r.k.component(f.Name)
		if err != nil {
			return nil, err
		}
		w, err := invert(f, v.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.SafeString(f.Name), err)
		}
		cond, err := r.to.condition(w, r.to.kindAt(w.path))
		if err != nil {
			return nil, err
		}
		cond.fold = r.k.contract.Compare[f.Name]
		out = append(out, cond)
		key = key || f.Name == "key"
	}
	if !key {
		return nil, errors.New("the store keeps no key by which a receipt would be found")
	}
	return out, nil
}

// kindAt is the kind of the column that a path begins with.
func (s *store) kindAt(path string) kind {
	p, err := mapping.ParsePath(path)
	if err != nil {
		return textual
	}
	if len(p.Members) > 0 {
		return textual
	}
	r := row{to: s}
	if col := r.declared(p.Column); col != nil {
		return s.dialect.kindOf(col)
	}
	return textual
}

// condition says that what is written stands at its path.
func (s *store) condition(w written, k kind) (condition, error) {
	p, err := mapping.ParsePath(w.path)
	if err != nil {
		return condition{}, err
	}
	r := row{to: s}
	return condition{column: r.name(p.Column), members: p.Members, any: []column{{null: w.null, text: w.text, kind: k}}}, nil
}

// requires notes what has to stand still when the plan is run: each effect, as far as the receipts' own database holds it.
func (p *Plan) requires(k *known, to *store, in *insert) error {
	for _, e := range k.effects {
		s := p.stores[e.Source]
		schema, ok := p.reach(s, to)
		if !ok {
			if !slices.Contains(in.elsewhere, e.Source) {
				in.elsewhere = append(in.elsewhere, e.Source)
			}
			continue
		}
		where, err := s.stands(e)
		if err != nil {
			return fmt.Errorf("%s: %w", text.SafeString(e.Source), err)
		}
		in.requires = append(in.requires, required{source: e.Source, schema: schema, table: s.spec.Table, where: where})
	}
	return nil
}

// reach says how a script for one store's database looks at another store: by no name of its own in the same database, by that under which a SQLite file is
// attached, or not at all. In JSONL whoever applies the plan looks.
func (p *Plan) reach(s, to *store) (schema string, ok bool) {
	switch {
	case to.dialect == noSQL:
		return "", true
	case s.spec.Query != "":
		return "", false
	case s.database() == to.database():
		return "", true
	case s.dialect != sqlite || to.dialect != sqlite || p.in.Dir == "" || strings.HasSuffix(s.spec.Path, ".sql"):
		return "", false
	}
	file := s.spec.Path
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.in.Dir, file)
	}
	at := slices.IndexFunc(p.attached, func(a attached) bool { return a.file == file })
	if at < 0 {
		if len(p.attached) == mostAttached {
			return "", false
		}
		at = len(p.attached)
		p.attached = append(p.attached, attached{file: file})
	}
	return attachedAs(at), true
}

// mostAttached is how many files SQLite attaches at once, unless it was built otherwise.
const mostAttached = 10

func attachedAs(i int) string { return "idemctl_" + strconv.Itoa(i+1) }

// attachment opens a file that has to be there, to look at it only where nothing in it is set.
func attachment(i int, a attached) (string, error) {
	uri, what := url.URL{Scheme: "file", OmitHost: true, Path: a.file, RawQuery: "mode=ro"}, "Looked at only."
	if a.written {
		uri.RawQuery, what = "mode=rw", "Its sequence is set, no row of it is touched."
	}
	name, err := sqlite.text([]byte(uri.String()))
	return "\n-- " + what + " Change the path where the file lies elsewhere.\nATTACH DATABASE " + name + " AS " + attachedAs(i) + ";\n", err
}

// stands are the conditions under which an effect's row is still the one that was seen, and still effective.
func (s *store) stands(e *scan.Evidence) ([]condition, error) {
	var out []condition
	pinned := false
	for i := range s.spec.Map {
		f := &s.spec.Map[i]
		component := slices.ContainsFunc(s.spec.Components, func(n string) bool { return n == f.Name }) || slices.Contains(mapping.StandardComponents, f.Name)
		switch {
		case f.Const != nil:
		case f.Name == "status":
			c, err := s.effective(f, e)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		case f.Name == "deleted_at":
			c, err := s.condition(written{path: f.From, null: true}, textual)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		case component || f.Name == "effect_id":
			c, ok := s.asSeen(f, e)
			if !ok {
				continue
			}
			out = append(out, c)
			pinned = pinned || f.Name == "effect_id" || f.Name == "key"
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.spec.Where)) {
		c, err := s.condition(written{path: path, text: []byte(s.spec.Where[path])}, s.kindAt(path))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if !pinned {
		return nil, errors.New("nothing in its row tells it from the others")
	}
	return out, nil
}

// asSeen says that a column still holds what the scan saw in it.
func (s *store) asSeen(f *mapping.Field, e *scan.Evidence) (condition, bool) {
	p, err := mapping.ParsePath(f.From)
	if err != nil {
		return condition{}, false
	}
	if len(p.Members) == 0 {
		for _, raw := range e.Raw {
			if raw.Name == p.Column {
				return s.raw(p.Column, raw)
			}
		}
	}
	v := factOf(e, f.Name)
	if !v.Known() {
		return condition{}, false
	}
	w, err := invert(f, v.Bytes())
	if err != nil {
		return condition{}, false
	}
	c, err := s.condition(w, s.kindAt(w.path))
	return c, err == nil
}

func (s *store) raw(name string, col reconcile.Column) (condition, bool) {
	c := condition{column: name}
	switch col.Kind {
	case "null":
		c.any = []column{{null: true}}
	case "integer":
		c.any = []column{{text: col.Text, kind: integer}}
	case "blob":
		c.any = []column{{text: col.Text, kind: binary}}
	case "text", "number", "bool":
		c.any = []column{{text: col.Text, kind: textual}}
	default:
		return c, false
	}
	return c, true
}

// effective says that a status is one of the words for a row that stands. What is done to the text before its words leaves one thing to say: it is unchanged.
func (s *store) effective(f *mapping.Field, e *scan.Evidence) (condition, error) {
	plain := f.From != "" && f.StripPrefix == "" && f.Prefix == "" && f.Hash == "" && f.Truncate == 0 && !f.Lower && f.Split == "" && f.JSON == ""
	if !plain {
		c, ok := s.asSeen(f, e)
		if !ok {
			return c, errors.New("whether its status is unchanged cannot be asked")
		}
		return c, nil
	}
	c, err := s.condition(written{path: f.From}, textual)
	if err != nil {
		return c, err
	}
	c.any = nil
	k := s.kindAt(f.From)
	words := f.Words
	effective := reconcile.StatusEffective.String()
	if len(words) == 0 {
		words = map[string]string{effective: effective}
	}
	star := words["*"] == effective
	for _, from := range slices.Sorted(maps.Keys(words)) {
		col := column{null: from == "null", text: []byte(from), kind: k}
		switch {
		case from == "*":
		case !star && words[from] == effective:
			c.any = append(c.any, col)
		case star && words[from] != effective:
			c.not = append(c.not, col)
		}
	}
	return c, nil
}
