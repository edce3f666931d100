package restoreplan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// The reasons for which there is no SQL of a plan.
var (
	ErrFiles   = errors.New("the receipts are read from files, which no SQL reaches")
	ErrSeveral = errors.New("the receipts go into more than one database")
)

// SQL writes the plan as one script for the database of the receipts.
func (p *Plan) SQL(w io.Writer) error {
	if err := p.Count(nil); err != nil {
		return err
	}
	to, err := p.target()
	if err != nil {
		return err
	}
	out := &script{w: bufio.NewWriter(w)}
	p.head(out, to)
	first, skipped := p.skip(to)
	for i, a := range p.attached {
		stmt, err := attachment(i, a)
		if err != nil {
			return err
		}
		out.put("%s", stmt)
	}
	out.put("\n%s\n%s", map[dialect]string{sqlite: "BEGIN IMMEDIATE;", postgres: "SET client_encoding = 'UTF8';\nBEGIN;"}[to.dialect], first)
	tables := p.tables()
	if len(tables) > 0 {
		out.put("%s", counted(to, tables))
	}
	if err := p.each(func(in *insert) error {
		out.put("\n-- %s: %s\n%s", in.caseID, identityText(in.identity), in.sql)
		return out.err
	}, nil); err != nil {
		return err
	}
	if len(tables) > 0 {
		out.put("\n-- How many were put back now; the others stood already, or their effect stands no more.\nSELECT %[1]s - n AS put_back, %[2]d - (%[1]s - n) AS left_alone FROM %[3]s.idemctl_before;\nDROP TABLE %[3]s.idemctl_before;\n", countOf(tables), p.Insertable, map[dialect]string{sqlite: "temp", postgres: "pg_temp"}[to.dialect])
	}
	out.put("COMMIT;\n")
	for i := range p.attached {
		out.put("DETACH DATABASE %s;\n", attachedAs(i))
	}
	if err := p.tail(out, skipped); err != nil {
		return err
	}
	return errors.Join(out.err, out.w.Flush())
}

// script is text that is written as it is made; its first error ends it.
type script struct {
	w   *bufio.Writer
	err error
}

func (s *script) put(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

// target is the store whose database the script is for.
func (p *Plan) target() (*store, error) {
	var to *store
	for _, name := range p.into {
		s := p.stores[name]
		if to != nil && s.database() != to.database() {
			return nil, ErrSeveral
		}
		to = s
	}
	for i := 0; to == nil && i < len(p.in.Sources); i++ {
		if s := p.stores[p.in.Sources[i].Name]; s.spec.Role == reconcile.RoleReceipt && s.serves {
			to = s
		}
	}
	if to == nil || to.dialect == noSQL {
		return nil, ErrFiles
	}
	return to, nil
}

// tables are the tables that receive receipts, quoted.
func (p *Plan) tables() []string {
	var out []string
	for _, name := range p.into {
		s := p.stores[name]
		if t, err := s.dialect.table(s.spec.Table); err == nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// counted keeps writers out and notes how many receipts there are before. The lock is what guards a table without a unique key from a writer in between.
func counted(to *store, tables []string) string {
	if to.dialect == sqlite {
		return "\nCREATE TEMP TABLE idemctl_before AS SELECT " + countOf(tables) + " AS n;\n"
	}
	return "\nLOCK TABLE " + strings.Join(tables, ", ") + " IN SHARE ROW EXCLUSIVE MODE;\nCREATE TEMP TABLE idemctl_before ON COMMIT DROP AS SELECT " + countOf(tables) + " AS n;\n"
}

func countOf(tables []string) string {
	counts := make([]string, len(tables))
	for i, t := range tables {
		counts[i] = "(SELECT count(*) FROM " + t + ")"
	}
	if len(counts) == 1 {
		return counts[0]
	}
	return "(" + strings.Join(counts, " + ") + ")"
}

// insert is one receipt as a statement that guards itself.
func (s *store) insert(in *insert) (string, error) {
	table, err := s.dialect.table(s.spec.Table)
	if err != nil {
		return "", err
	}
	names, values := make([]string, len(in.columns)), make([]string, len(in.columns))
	for i, c := range in.columns {
		names[i] = identifier(c.name)
		if values[i], err = s.dialect.value(c); err != nil {
			return "", err
		}
	}
	same, err := s.dialect.all("r", in.unless)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("INSERT INTO %s (%s)\nSELECT %s\nWHERE NOT EXISTS (SELECT 1 FROM %s AS r WHERE %s)", table, strings.Join(names, ", "), strings.Join(values, ", "), table, same)
	for _, need := range in.requires {
		of, err := s.dialect.table(need.table)
		if err != nil {
			return "", err
		}
		if need.schema != "" {
			of = need.schema + strings.TrimPrefix(of, "main")
		}
		where, err := s.dialect.all("e", need.where)
		if err != nil {
			return "", err
		}
		out += fmt.Sprintf("\n  AND EXISTS (SELECT 1 FROM %s AS e WHERE %s)", of, where)
	}
	return out + ";\n", nil
}

func (d dialect) value(c column) (string, error) {
	if c.null {
		return "NULL", nil
	}
	return d.literal(c.text, c.kind)
}

// all joins conditions on one row.
func (d dialect) all(alias string, cs []condition) (string, error) {
	parts := make([]string, len(cs))
	for i := range cs {
		var err error
		if parts[i], err = d.holds(alias, &cs[i]); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, " AND "), nil
}

// holds spells one condition.
func (d dialect) holds(alias string, c *condition) (string, error) {
	if err := speakable(c.column); err != nil {
		return "", err
	}
	expr := alias + "." + identifier(c.column)
	if len(c.members) > 0 {
		var err error
		if expr, err = d.member(expr, c.members); err != nil {
			return "", err
		}
	}
	var parts []string
	for _, v := range slices.Concat(c.any, c.not) {
		part, err := d.equals(expr, c.fold, v)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	switch {
	case len(parts) == 0 && len(c.any) == 0 && len(c.not) == 0:
		return expr + " IS NOT NULL", nil
	case len(c.any) == 0:
		return "(" + expr + " IS NOT NULL AND NOT (" + strings.Join(parts, " OR ") + "))", nil
	case len(parts) == 1:
		return parts[0], nil
	}
	return "(" + strings.Join(parts, " OR ") + ")", nil
}

func (d dialect) equals(expr string, fold reconcile.Comparison, v column) (string, error) {
	if v.null {
		return expr + " IS NULL", nil
	}
	lit, err := d.literal(v.text, v.kind)
	if err != nil {
		return "", err
	}
	switch fold {
	case reconcile.CompareCI:
		return "lower(" + expr + ") = lower(" + lit + ")", nil
	case reconcile.CompareTrim:
		return "rtrim(" + expr + ") = rtrim(" + lit + ")", nil
	case reconcile.CompareBytes, reconcile.CompareNFC:
	}
	return expr + " = " + lit, nil
}

// skip sets the sequences that would hand out ids again. What it cannot set is told in words.
func (p *Plan) skip(to *store) (statements string, skipped []string) {
	var out strings.Builder
	for _, r := range p.sequences() {
		s := p.stores[r.Source]
		if s == nil {
			continue
		}
		col, name := s.counter(), text.SafeString(r.Source)
		schema, ok := p.reach(s, to)
		ids := fmt.Sprintf("%s: ids %d to %d are known elsewhere and would be handed out again", name, r.From, r.To)
		switch {
		case col == nil:
			skipped = append(skipped, ids+"; what numbers its rows is not known")
			continue
		case !ok:
			skipped = append(skipped, ids+"; it lies in another database: set its sequence there to "+fmt.Sprint(r.To)+" before this is run")
			continue
		case col.Fill != rows.FillSequence:
			skipped = append(skipped, ids+"; its rows are numbered on from the highest one, which no sequence changes: let the service skip them")
			continue
		}
		if schema == "" {
			schema = "main"
		}
		stmt, err := s.setSequence(schema, col, r.To)
		if err != nil {
			skipped = append(skipped, ids+"; "+err.Error())
			continue
		}
		for i := range p.attached {
			p.attached[i].written = p.attached[i].written || schema == attachedAs(i)
		}
		fmt.Fprintf(&out, "\n-- %s: skip them first. A sequence is not set back when the rest fails.\n%s", ids, stmt)
	}
	return out.String(), skipped
}

// counter is the column that numbers a source's rows.
func (s *store) counter() *rows.Column {
	r := row{to: s}
	for i := range s.spec.Map {
		f := &s.spec.Map[i]
		if p, err := mapping.ParsePath(f.From); f.Name == "effect_id" && err == nil && len(p.Members) == 0 && s.spec.Role == reconcile.RoleEffect {
			if c := r.declared(p.Column); c != nil && (c.Fill == rows.FillSequence || c.Fill == rows.FillHighest) {
				return c
			}
		}
	}
	for i := range s.columns {
		if c := &s.columns[i]; c.Key && (c.Fill == rows.FillSequence || c.Fill == rows.FillHighest) {
			return c
		}
	}
	return nil
}

// setSequence lifts a sequence to a number, never back. Of PostgreSQL it is the one that the column owns.
func (s *store) setSequence(schema string, col *rows.Column, to int64) (string, error) {
	table, err := s.dialect.table(s.spec.Table)
	if err != nil {
		return "", err
	}
	if s.dialect == postgres {
		of, err := s.dialect.text([]byte(table))
		if err != nil {
			return "", err
		}
		name, err := s.dialect.text([]byte(col.Name))
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("SELECT setval(seq, %[1]d) FROM (SELECT pg_get_serial_sequence(%[2]s, %[3]s)::regclass AS seq) AS s WHERE seq IS NOT NULL AND coalesce(pg_sequence_last_value(seq), 0) < %[1]d;\n", to, of, name), nil
	}
	name, err := s.dialect.text([]byte(s.spec.Table))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`UPDATE %[3]s.sqlite_sequence SET seq = %[1]d WHERE name = %[2]s COLLATE NOCASE AND seq < %[1]d;
INSERT INTO %[3]s.sqlite_sequence (name, seq) SELECT name, %[1]d FROM %[3]s.sqlite_schema AS t WHERE type = 'table' AND name = %[2]s COLLATE NOCASE AND NOT EXISTS (SELECT 1 FROM %[3]s.sqlite_sequence AS s WHERE s.name = t.name);
`, to, name, schema), nil
}
