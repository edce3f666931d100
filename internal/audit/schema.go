package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"example.com/idemctl/internal/reconcile"
)

const (
	applicationID = 0x49444d43 // "IDMC": file(1) shows it
	schemaVersion = 1
)

// statements make an empty trail. The triggers are a net against mistakes of this program and of a person with a shell; against somebody who means it, they
// can be dropped: the log, the checkpoint and the pin are the evidence.
//
// INSERT OR REPLACE fires no trigger for what it replaces, so every table also refuses an insert of what exists.
func statements() []string {
	live := liveWords()
	var steps []string
	for _, s := range Steps {
		steps = append(steps, fmt.Sprintf("('state','%s','%s')", s.From, s.To))
	}
	for _, s := range OutcomeSteps {
		steps = append(steps, fmt.Sprintf("('outcome','%s','%s')", s.From, s.To))
	}
	return []string{
		`CREATE TABLE head(one INTEGER PRIMARY KEY CHECK(one=1), size INTEGER NOT NULL CHECK(size>=0), root BLOB NOT NULL CHECK(length(root)=32), last_leaf BLOB NOT NULL CHECK(length(last_leaf)=32), note BLOB NOT NULL) STRICT`,
		`CREATE TABLE entry(seq INTEGER PRIMARY KEY CHECK(seq>=0), leaf BLOB NOT NULL CHECK(length(leaf)=32), type TEXT NOT NULL, subject TEXT NOT NULL, event_id TEXT NOT NULL UNIQUE, body BLOB NOT NULL CHECK(length(body) BETWEEN 2 AND 60000)) STRICT`,
		`CREATE INDEX entry_subject ON entry(subject, seq)`,
		`CREATE TABLE node(idx INTEGER PRIMARY KEY CHECK(idx>=0), h BLOB NOT NULL CHECK(length(h)=32)) STRICT`,
		`CREATE TABLE evidence(commitment BLOB PRIMARY KEY CHECK(length(commitment)=32), salt BLOB CHECK(salt IS NULL OR length(salt)=32), media TEXT NOT NULL, bytes BLOB, octets INTEGER NOT NULL CHECK(octets>=0), redacted_seq INTEGER REFERENCES entry(seq), CHECK((bytes IS NULL)=(redacted_seq IS NOT NULL)), CHECK((salt IS NULL)=(bytes IS NULL))) STRICT, WITHOUT ROWID`,
		`CREATE TABLE step(kind TEXT NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY(kind, a, b)) STRICT, WITHOUT ROWID`,
		`CREATE TABLE decision(decision_id TEXT PRIMARY KEY, case_id TEXT NOT NULL, case_rev INTEGER NOT NULL CHECK(case_rev>=0), action TEXT NOT NULL, resolution TEXT NOT NULL, operator TEXT NOT NULL, digest TEXT NOT NULL, plan BLOB NOT NULL CHECK(length(plan)=32), recorded INTEGER NOT NULL, valid_until INTEGER, seq INTEGER NOT NULL UNIQUE REFERENCES entry(seq), state TEXT NOT NULL CHECK(state IN ('proposed','decided','done','failed','unknown','withdrawn','superseded','expired','rejected')), state_seq INTEGER NOT NULL REFERENCES entry(seq), handed_seq INTEGER REFERENCES entry(seq), outcome TEXT NOT NULL CHECK(outcome IN ('none','done','failed','unknown')), outcome_seq INTEGER REFERENCES entry(seq), CHECK((outcome='none')=(outcome_seq IS NULL))) STRICT, WITHOUT ROWID`,
		`CREATE INDEX decision_case ON decision(case_id, seq)`,
		`CREATE UNIQUE INDEX decision_one_live ON decision(case_id) WHERE state IN (` + live + `)`,
		`INSERT INTO step VALUES ` + strings.Join(steps, ","),
		`CREATE TRIGGER step_once BEFORE INSERT ON step BEGIN SELECT RAISE(ABORT,'steps are fixed'); END`,
		`CREATE TRIGGER step_nu BEFORE UPDATE ON step BEGIN SELECT RAISE(ABORT,'steps are fixed'); END`,
		`CREATE TRIGGER step_nd BEFORE DELETE ON step BEGIN SELECT RAISE(ABORT,'steps are fixed'); END`,
		`CREATE TRIGGER entry_next BEFORE INSERT ON entry WHEN NEW.seq IS NOT (SELECT ifnull(max(seq)+1,0) FROM entry) BEGIN SELECT RAISE(ABORT,'a record follows the one before it'); END`,
		`CREATE TRIGGER entry_once BEFORE INSERT ON entry WHEN EXISTS(SELECT 1 FROM entry WHERE seq=NEW.seq OR event_id=NEW.event_id) BEGIN SELECT RAISE(ABORT,'record exists'); END`,
		`CREATE TRIGGER entry_nu BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT,'records are append-only'); END`,
		`CREATE TRIGGER entry_nd BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT,'records are append-only'); END`,
		`CREATE TRIGGER node_once BEFORE INSERT ON node WHEN EXISTS(SELECT 1 FROM node WHERE idx=NEW.idx) BEGIN SELECT RAISE(ABORT,'node exists'); END`,
		`CREATE TRIGGER node_nu BEFORE UPDATE ON node BEGIN SELECT RAISE(ABORT,'nodes are append-only'); END`,
		`CREATE TRIGGER node_nd BEFORE DELETE ON node BEGIN SELECT RAISE(ABORT,'nodes are append-only'); END`,
		`CREATE TRIGGER head_once BEFORE INSERT ON head WHEN EXISTS(SELECT 1 FROM head) BEGIN SELECT RAISE(ABORT,'head exists'); END`,
		`CREATE TRIGGER head_forward BEFORE UPDATE ON head WHEN NEW.size<=OLD.size OR NEW.size-1 IS NOT (SELECT max(seq) FROM entry) BEGIN SELECT RAISE(ABORT,'the head grows with the records'); END`,
		`CREATE TRIGGER head_nd BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT,'the head is not deleted'); END`,
		`CREATE TRIGGER evidence_once BEFORE INSERT ON evidence WHEN NEW.bytes IS NULL OR EXISTS(SELECT 1 FROM evidence WHERE commitment=NEW.commitment) BEGIN SELECT RAISE(ABORT,'evidence exists'); END`,
		`CREATE TRIGGER evidence_fixed BEFORE UPDATE ON evidence WHEN NEW.commitment IS NOT OLD.commitment OR NEW.media IS NOT OLD.media OR NEW.octets IS NOT OLD.octets OR OLD.bytes IS NULL OR NEW.bytes IS NOT NULL BEGIN SELECT RAISE(ABORT,'evidence is only ever removed'); END`,
		`CREATE TRIGGER evidence_nd BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT,'evidence is not deleted'); END`,
		`CREATE TRIGGER decision_once BEFORE INSERT ON decision WHEN NEW.state IS NOT 'decided' OR NEW.outcome IS NOT 'none' OR NEW.handed_seq IS NOT NULL OR EXISTS(SELECT 1 FROM decision WHERE decision_id=NEW.decision_id OR seq=NEW.seq) OR EXISTS(SELECT 1 FROM decision WHERE case_id=NEW.case_id AND state IN (` + live + `)) BEGIN SELECT RAISE(ABORT,'decision exists, or the case has a live one'); END`,
		`CREATE TRIGGER decision_fixed BEFORE UPDATE ON decision WHEN NEW.decision_id IS NOT OLD.decision_id OR NEW.case_id IS NOT OLD.case_id OR NEW.case_rev IS NOT OLD.case_rev OR NEW.action IS NOT OLD.action OR NEW.resolution IS NOT OLD.resolution OR NEW.operator IS NOT OLD.operator OR NEW.digest IS NOT OLD.digest OR NEW.plan IS NOT OLD.plan OR NEW.recorded IS NOT OLD.recorded OR NEW.valid_until IS NOT OLD.valid_until OR NEW.seq IS NOT OLD.seq OR (OLD.handed_seq IS NOT NULL AND NEW.handed_seq IS NOT OLD.handed_seq) OR NEW.state_seq<OLD.state_seq BEGIN SELECT RAISE(ABORT,'what was decided is fixed'); END`,
		`CREATE TRIGGER decision_step BEFORE UPDATE ON decision WHEN NEW.state IS NOT OLD.state AND NOT EXISTS(SELECT 1 FROM step WHERE kind='state' AND a=OLD.state AND b=NEW.state) BEGIN SELECT RAISE(ABORT,'no such step of a decision'); END`,
		`CREATE TRIGGER decision_outcome BEFORE UPDATE ON decision WHEN NEW.outcome IS NOT OLD.outcome AND (NOT EXISTS(SELECT 1 FROM step WHERE kind='outcome' AND a=OLD.outcome AND b=NEW.outcome) OR (OLD.state NOT IN (` + live + `) AND OLD.handed_seq IS NULL)) BEGIN SELECT RAISE(ABORT,'no such outcome of a decision'); END`,
		`CREATE TRIGGER decision_nd BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT,'decisions are not deleted'); END`,
	}
}

// liveWords are the live states as a list of SQL.
func liveWords() string {
	var words []string
	for s := reconcile.DecisionProposed; s.String() != ""; s++ {
		if s.Live() {
			words = append(words, "'"+s.String()+"'")
		}
	}
	return strings.Join(words, ",")
}

// object is one row of sqlite_schema; autoindexes have no text. forms are the types of its values: text that turned into a blob of the same bytes is damage too.
type object struct {
	name, kind, table, forms string
	text                     sql.NullString
}

// createSchema makes the tables; the caller has begun a transaction, or holds a database of its own.
func createSchema(ctx context.Context, c *sql.Conn) error {
	for _, s := range append(statements(), fmt.Sprintf("PRAGMA application_id=%d", applicationID), fmt.Sprintf("PRAGMA user_version=%d", schemaVersion)) {
		if _, err := c.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

// schemaOf lists the schema of the database, by name.
func schemaOf(ctx context.Context, q querier) ([]object, error) {
	rows, err := q.QueryContext(ctx, `SELECT name, type, tbl_name, sql, typeof(name)||typeof(type)||typeof(tbl_name)||typeof(sql) FROM sqlite_schema ORDER BY name, type`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []object
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.name, &o.kind, &o.table, &o.text, &o.forms); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, rows.Err()
}

// schemaWanted is what schemaOf lists of a trail that this program made. It is made once, in memory.
var schemaWanted = sync.OnceValues(func() (out []object, err error) {
	db, err := sql.Open(engine, ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := createSchema(context.Background(), c); err != nil {
		return nil, err
	}
	return schemaOf(context.Background(), c)
})

// differences names every object in which two schemas differ.
func differences(want, got []object) []string {
	have := map[string]object{}
	for _, o := range got {
		have[o.kind+" "+o.name] = o
	}
	var out []string
	for _, o := range want {
		key := o.kind + " " + o.name
		g, ok := have[key]
		switch {
		case !ok:
			out = append(out, key+" is missing")
		case g != o:
			out = append(out, key+" is not as it was made")
		}
		delete(have, key)
	}
	for _, o := range got {
		if _, left := have[o.kind+" "+o.name]; left {
			out = append(out, o.kind+" "+o.name+" was added")
		}
	}
	return out
}
