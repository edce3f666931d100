package audit_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// flips is how many bytes of a small trail are changed, one at a time; all were tried.
const flips = 100

// small is a trail with something of everything, closed.
func small(t *testing.T) audit.Place {
	t.Helper()
	p, c := place(t), newClock()
	trail := open(t, p, c)
	a := decide(t, trail, proposal("case-a"))[0]
	until := proposal("case-b")
	until.ValidUntil = c.in(time.Minute)
	decide(t, trail, until, proposal("case-c"))
	if _, err := trail.HandOut(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := trail.Outcome(t.Context(), a.ID, reconcile.ReportedDone, "run 7", "sent"); err != nil {
		t.Fatal(err)
	}
	c.forward(time.Hour)
	b := decide(t, trail, proposal("case-b"))[0]
	again := proposal("case-b")
	again.Supersedes = b.ID
	d := decide(t, trail, again)[0]
	if _, err := trail.Withdraw(t.Context(), d.ID, "a mistake"); err != nil {
		t.Fatal(err)
	}
	if err := trail.Note(t.Context(), audit.Event{Type: audit.EventRefused, Case: "case-c", Code: "pending", Answer: "Something may still perform it."}); err != nil {
		t.Fatal(err)
	}
	verified(t, trail)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// raw runs SQL on a trail's file, as somebody with a shell would.
func raw(t *testing.T, path string, do func(*sql.DB) error) error {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_synchronous=off")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return errors.Join(do(db), db.Close())
}

// dump is all that a trail says: every row of every table, and the schema.
func dump(db *sql.DB) (string, error) {
	var out strings.Builder
	for _, table := range []string{"sqlite_schema", "head", "entry", "node", "evidence", "step", "decision"} {
		columns := "*"
		if table == "sqlite_schema" {
			columns = "type, name, tbl_name, sql"
		}
		if err := dumpTable(&out, db, `SELECT `+columns+` FROM `+table+` ORDER BY 1, 2`); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

func dumpTable(out *strings.Builder, db *sql.DB, query string) error {
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		row := make([]any, len(columns))
		for i := range row {
			row[i] = new(any)
		}
		if err := rows.Scan(row...); err != nil {
			return err
		}
		for _, v := range row {
			fmt.Fprintf(out, "%x|", fmt.Sprint(*v.(*any)))
		}
		out.WriteByte('\n')
	}
	return rows.Err()
}

// found opens a spoiled trail and reports whether the spoiling is seen, and where.
func found(t *testing.T, p audit.Place) (string, bool) {
	t.Helper()
	trail, err := audit.OpenReading(t.Context(), p, newClock().env())
	if err != nil {
		return err.Error(), true
	}
	defer func() { _ = trail.Close() }()
	r, err := trail.Verify(t.Context(), nil)
	if err != nil {
		return err.Error(), true
	}
	if !r.OK() {
		return fmt.Sprint(r.Faults), true
	}
	return "", false
}

// TestFlippedBytes: a changed byte is seen, or it changed nothing that the trail says.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	p := small(t)
	good := slurp(t, p.Path)
	var want string
	if err := raw(t, p.Path, func(db *sql.DB) (err error) { want, err = dump(db); return err }); err != nil {
		t.Fatal(err)
	}
	places := worthwhile(good)
	step := max(1, len(places)/(flips**long))
	seen, harmless := 0, 0
	for i := 0; i < len(places); i += step {
		at := places[i]
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (i / step % 8)
		put(t, p.Path, bad)
		if _, ok := found(t, p); ok {
			seen++
			continue
		}
		harmless++
		var got string
		err := raw(t, p.Path, func(db *sql.DB) (err error) { got, err = dump(db); return err })
		if err != nil || got != want {
			t.Errorf("byte %d of %d: not seen, and what the trail says has changed: %v %s", at, len(good), err, firstDifference(got, want))
		}
	}
	t.Logf("%d of %d places changed: %d seen, %d changed nothing", seen+harmless, len(places), seen, harmless)
	if seen == 0 || harmless == 0 {
		t.Error("the trial proves nothing")
	}
}

// firstDifference is the first line in which two dumps differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: %q", i, g[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(g), len(w))
}

// worthwhile are the places of all bytes but those deep inside a stretch of zeros, which is room that nothing fills.
func worthwhile(b []byte) (places []int) {
	zeros := 0
	for i, c := range b {
		if zeros++; c != 0 {
			zeros = 0
		}
		if zeros < 16 {
			places = append(places, i)
		}
	}
	return places
}

// unguarded drops the triggers, does something, and makes the triggers again as they were: the schema's text is the same.
func unguarded(db *sql.DB, change string) error {
	ctx := context.Background()
	rows, err := db.QueryContext(ctx, `SELECT name, sql FROM sqlite_schema WHERE type='trigger' ORDER BY rowid`)
	if err != nil {
		return err
	}
	var names, texts []string
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		names, texts = append(names, name), append(texts, text)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("BEGIN;\n")
	for _, n := range names {
		fmt.Fprintf(&script, "DROP TRIGGER %s;\n", n)
	}
	script.WriteString(change + ";\n" + strings.Join(texts, ";\n") + ";\nCOMMIT")
	_, err = db.ExecContext(ctx, script.String())
	return err
}

// changes are what somebody with the file and a shell does to it, besides changing single columns.
var changes = map[string]string{
	"tail removed":           `DELETE FROM entry WHERE seq=(SELECT max(seq) FROM entry)`,
	"tail and head back":     `DELETE FROM entry WHERE seq>=8; DELETE FROM node WHERE idx>=15; UPDATE head SET size=8`,
	"first record removed":   `DELETE FROM entry WHERE seq=0`,
	"record removed":         `DELETE FROM entry WHERE seq=3`,
	"records swapped":        `UPDATE entry SET seq=99 WHERE seq=2; UPDATE entry SET seq=2 WHERE seq=3; UPDATE entry SET seq=3 WHERE seq=99`,
	"bodies swapped":         `CREATE TEMP TABLE s AS SELECT * FROM entry WHERE seq IN (2,3); UPDATE entry SET body=(SELECT body FROM s WHERE seq=5-entry.seq), leaf=(SELECT leaf FROM s WHERE seq=5-entry.seq) WHERE seq IN (2,3)`,
	"record copied":          `INSERT INTO entry SELECT (SELECT max(seq)+1 FROM entry), leaf, type, subject, event_id||'x', body FROM entry WHERE seq=2`,
	"node removed":           `DELETE FROM node WHERE idx=4`,
	"node added":             `INSERT INTO node SELECT max(idx)+1, h FROM node`,
	"head removed":           `DELETE FROM head`,
	"decision removed":       `DELETE FROM decision WHERE case_id='case-c'`,
	"decision added":         `INSERT INTO decision SELECT decision_id||'x', 'case-x', case_rev, action, resolution, operator, digest, plan, recorded, valid_until, seq+1, state, state_seq, handed_seq, outcome, outcome_seq FROM decision WHERE case_id='case-c'`,
	"evidence removed":       `DELETE FROM evidence WHERE commitment=(SELECT min(commitment) FROM evidence)`,
	"evidence exchanged":     `UPDATE evidence SET bytes=CAST('{"case":"case-z"}' AS BLOB) WHERE commitment=(SELECT min(commitment) FROM evidence)`,
	"evidence redacted":      `UPDATE evidence SET bytes=NULL, salt=NULL, redacted_seq=1`,
	"evidence added":         `INSERT INTO evidence VALUES (zeroblob(32), zeroblob(32), 'application/json', x'00', 1, NULL)`,
	"step added":             `INSERT INTO step VALUES ('state', 'done', 'decided')`,
	"step removed":           `DELETE FROM step WHERE b='unknown'`,
	"table added":            `CREATE TABLE extra(a)`,
	"table emptied":          `DELETE FROM decision`,
	"version":                `PRAGMA user_version=0`,
	"version newer":          `PRAGMA user_version=99`,
	"application":            `PRAGMA application_id=0`,
	"everything but a shell": `DELETE FROM decision; DELETE FROM evidence; DELETE FROM node; DELETE FROM entry; DELETE FROM head`,
}

func TestEdited(t *testing.T) {
	t.Parallel()
	p := small(t)
	good := slurp(t, p.Path)
	check := func(name, change string) {
		put(t, p.Path, good)
		if err := raw(t, p.Path, func(db *sql.DB) error { return unguarded(db, change) }); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if _, ok := found(t, p); !ok {
			t.Errorf("%s: not seen", name)
		}
	}
	for name, change := range changes {
		check(name, change)
	}
	n := 0
	for table, rows := range map[string]string{"head": "1", "entry": "seq=3", "node": "idx=3", "evidence": "commitment=(SELECT min(commitment) FROM evidence)", "step": "b='failed' AND a='unknown' AND kind='state'", "decision": "case_id='case-c'"} {
		for _, column := range columns(t, p, good, table) {
			n++
			check(table+"."+column, fmt.Sprintf(`PRAGMA ignore_check_constraints=1; UPDATE %s SET %s=%s WHERE %s`, table, column, changed(column), rows))
		}
	}
	if n < 30 {
		t.Errorf("only %d columns", n)
	}
}

// changed is another value of the same type.
func changed(column string) string {
	return fmt.Sprintf(`CASE typeof(%[1]s) WHEN 'null' THEN 7 WHEN 'integer' THEN %[1]s+100 WHEN 'text' THEN %[1]s||'x' WHEN 'blob' THEN CAST(substr(%[1]s,1,length(%[1]s)-1)||CASE substr(%[1]s,-1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB) END`, column)
}

func columns(t *testing.T, p audit.Place, good []byte, table string) (out []string) {
	t.Helper()
	put(t, p.Path, good)
	err := raw(t, p.Path, func(db *sql.DB) error {
		rows, err := db.QueryContext(t.Context(), `SELECT name FROM pragma_table_info(?)`, table)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			out = append(out, name)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDroppedTriggers: a file without one of its triggers is not the file that this program made.
func TestDroppedTriggers(t *testing.T) {
	t.Parallel()
	p := small(t)
	good := slurp(t, p.Path)
	for _, change := range []string{`DROP TRIGGER entry_nd`, `DROP INDEX decision_one_live`, `DROP INDEX decision_case`, `DROP TRIGGER head_forward; CREATE TRIGGER head_forward BEFORE UPDATE ON head WHEN 0 BEGIN SELECT 1; END`} {
		put(t, p.Path, good)
		if err := raw(t, p.Path, func(db *sql.DB) error { _, err := db.ExecContext(t.Context(), change); return err }); err != nil {
			t.Fatal(err)
		}
		troubled(t, p, audit.ErrDamaged)
	}
}

// TestGuarded: what a person with a shell tries, without dropping triggers first, is refused by the file itself.
func TestGuarded(t *testing.T) {
	t.Parallel()
	p := small(t)
	for _, change := range []string{
		`UPDATE entry SET body=x'00' WHERE seq=1`,
		`DELETE FROM entry WHERE seq=1`,
		`INSERT OR REPLACE INTO entry SELECT seq, leaf, type, subject, event_id, body FROM entry WHERE seq=1`,
		`REPLACE INTO entry SELECT (SELECT max(seq)+1 FROM entry), leaf, type, subject, event_id, body FROM entry WHERE seq=1`,
		`INSERT INTO entry SELECT 99, leaf, type, subject, 'new', body FROM entry WHERE seq=1`,
		`UPDATE OR REPLACE entry SET event_id=(SELECT event_id FROM entry WHERE seq=2) WHERE seq=1`,
		`REPLACE INTO node SELECT idx, zeroblob(32) FROM node WHERE idx=0`,
		`UPDATE node SET h=zeroblob(32)`, `DELETE FROM node`,
		`REPLACE INTO head SELECT 1, 0, root, last_leaf, note FROM head`,
		`UPDATE head SET size=1`, `UPDATE head SET size=100`, `DELETE FROM head`, `INSERT OR REPLACE INTO head SELECT * FROM head`,
		`REPLACE INTO decision SELECT decision_id, case_id, case_rev, action, resolution, 'mallory', digest, plan, recorded, valid_until, seq, 'decided', state_seq, NULL, 'none', NULL FROM decision WHERE case_id='case-c'`,
		`REPLACE INTO decision SELECT 'new', case_id, case_rev, action, resolution, operator, digest, plan, recorded, valid_until, 1, 'decided', state_seq, NULL, 'none', NULL FROM decision WHERE case_id='case-c'`,
		`REPLACE INTO decision SELECT 'new', 'case-x', case_rev, action, resolution, operator, digest, plan, recorded, valid_until, seq, 'decided', state_seq, NULL, 'none', NULL FROM decision WHERE case_id='case-c'`,
		`UPDATE decision SET operator='mallory'`, `UPDATE decision SET state='decided' WHERE state='done'`, `UPDATE decision SET state='proposed' WHERE state='decided'`,
		`UPDATE decision SET outcome='failed' WHERE outcome='done'`, `UPDATE decision SET handed_seq=NULL WHERE handed_seq IS NOT NULL`, `DELETE FROM decision`,
		`UPDATE decision SET outcome='done', outcome_seq=3 WHERE state='withdrawn'`,
		`UPDATE OR REPLACE decision SET case_id='case-c'`,
		`UPDATE evidence SET bytes=x'00'`, `DELETE FROM evidence`, `REPLACE INTO evidence SELECT commitment, salt, media, x'00', octets, NULL FROM evidence`,
		`INSERT INTO step VALUES ('state','done','decided')`, `UPDATE step SET a='done'`, `DELETE FROM step`,
	} {
		err := raw(t, p.Path, func(db *sql.DB) error { _, err := db.ExecContext(t.Context(), change); return err })
		if err == nil {
			t.Errorf("accepted: %s", change)
		}
	}
	with(t, p, func(trail *audit.Trail) { verified(t, trail) })
}

// TestOtherFiles: what is no trail, or no whole one, is not taken for one, and nothing is written into it.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	good := slurp(t, small(t).Path)
	for name, b := range map[string][]byte{
		"text": []byte(strings.Repeat("not a database\n", 100)), "one byte": {0}, "half": good[:len(good)/2], "cut in the last page": good[:len(good)-1000],
		"header only": good[:100], "zeros": make([]byte, 8192),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, p.Path, b)
			trail, err := audit.Open(t.Context(), p, newClock().env())
			if err == nil {
				err = trail.Trouble()
				if _, e := trail.Decide(t.Context(), proposal("case-a")); e == nil {
					t.Error("appended")
				}
				_ = trail.Close()
			}
			if err == nil {
				t.Error("accepted")
			}
			if got := slurp(t, p.Path); !bytes.Equal(got, b) {
				t.Error("written into")
			}
		})
	}
}

// TestTamperedTold: whoever reads decisions of a trail that was altered since it was opened is told that it is not to be trusted, as whoever opens it is.
func TestTamperedTold(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`UPDATE decision SET handed_seq=NULL`, `UPDATE decision SET state='withdrawn'`, `DELETE FROM decision`, `UPDATE entry SET body=CAST(replace(CAST(body AS TEXT), 'case-a', 'case-b') AS BLOB) WHERE seq=1`,
	} {
		p := place(t)
		trail := open(t, p, newClock())
		one := decide(t, trail, proposal("case-a"))
		if _, err := trail.HandOut(t.Context(), one[0].ID); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", p.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(unguarded(db, change), db.Close()); err != nil {
			t.Fatal(err)
		}
		var told *audit.Trouble
		for _, err := range trail.Decisions(t.Context(), audit.Query{}) {
			if !errors.As(err, &told) || !errors.Is(err, audit.ErrDamaged) {
				t.Errorf("%s: %v", change, err)
			}
		}
		if told == nil {
			t.Errorf("%s: nothing is told", change)
		}
	}
}
