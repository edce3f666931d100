package sources

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

const script = `CREATE TABLE receipts (tenant TEXT, key TEXT, result TEXT, expires_at INTEGER);
INSERT INTO receipts VALUES ('north','a','{"effect_id": 1}',61),('north','b','{"effect_id": 2}',62);
CREATE TABLE effects (id INTEGER PRIMARY KEY, tenant TEXT, quantity INTEGER, price NUMERIC);
INSERT INTO effects VALUES (1,'north',2,19.9),(2,'north',1,5),(7,'south',1,5);
CREATE TABLE loose (key, at INTEGER);
INSERT INTO loose VALUES (7, 1),('7', 2),('x', 3);
CREATE VIEW few AS SELECT * FROM effects WHERE tenant = 'north';
`

const charges = `{"id":"ch_1","type":"charge.succeeded","key":"a","at":10,"app":"orders"}
{"id":"ch_2","type":"charge.succeeded","key":"b","at":30,"app":"orders"}
{"id":"ch_3","type":"payout.paid","at":20}
`

var files = fstest.MapFS{
	"fx/orders.sql":    {Data: []byte(script)},
	"fx/charges.jsonl": {Data: []byte(charges)},
	"fx/bad.jsonl":     {Data: []byte(charges + "{\"id\":\nrubbish\n" + `{"type":"charge.succeeded","key":{},"at":1}` + "\n")},
	"fx/cut.jsonl":     {Data: []byte(charges[:len(charges)-10])},
	"fx/empty.jsonl":   {},
}

var now = reconcile.AtUnix(100e9)

func receiptsSpec() Spec {
	return Spec{Name: "receipts", Role: reconcile.RoleReceipt, Scheme: SQLite, Path: "orders.sql", Table: "receipts", Map: []Field{
		{Name: "tenant", From: "tenant"}, {Name: "key", From: "key"}, {Name: "effect_id", From: "result.effect_id"}, {Name: "expires_at", From: "expires_at", As: "unix-s"},
	}}
}

func effectsSpec() Spec {
	return Spec{Name: "orders", Role: reconcile.RoleEffect, Scheme: SQLite, Path: "./orders.sql", Table: "effects", Where: map[string]string{"tenant": "north"}, Map: []Field{
		{Name: "tenant", From: "tenant"}, {Name: "effect_id", From: "id"}, {Name: "amount", From: "price", Unit: "major", CurrencyIs: "EUR"},
	}}
}

func chargesSpec(path string) Spec {
	return Spec{Name: "charges", Role: reconcile.RoleProvider, Scheme: JSONL, Path: path, Map: []Field{
		{Name: "operation", From: "type", Words: map[string]string{"charge.succeeded": "create-order"}},
		{Name: "key", From: "key"},
		{Name: "object_id", From: "id"},
		{Name: "created_at", From: "at", As: "unix-s"},
	}}
}

// opened opens specs over the embedded files.
func opened(t *testing.T, specs ...Spec) *Set {
	t.Helper()
	temp := t.TempDir()
	set, err := Open(context.Background(), Place{FS: files, Dir: "fx", TempDir: temp}, specs, now)
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// scanned scans a reader, keeping its records and positions.
func scanned(t *testing.T, r Reader) (records []*reconcile.Record, at []rows.Pos) {
	t.Helper()
	err := r.Scan(context.Background(), func(pos rows.Pos, rec *reconcile.Record) error {
		records, at = append(records, rec.Clone()), append(at, pos)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, at
}

func TestOneStoreServesTwoSources(t *testing.T) {
	t.Parallel()
	set := opened(t, receiptsSpec(), effectsSpec(), chargesSpec("charges.jsonl"))
	if len(set.stores) != 1 {
		t.Errorf("%d stores, want 1", len(set.stores))
	}
	readers := set.Readers()
	receipts, at := scanned(t, readers[0])
	if len(receipts) != 2 || receipts[0].EffectID.String() != "1" || receipts[0].State != reconcile.StateCompleted || receipts[0].ExpiresAt.UnixNano() != 61e9 {
		t.Errorf("receipts %+v", receipts)
	}
	facts := readers[0].Facts()
	if !facts.Serves || !facts.MapsRef || !facts.MapsTime || strings.Join(facts.Components, " ") != "tenant key" {
		t.Errorf("facts %+v", facts)
	}
	if diff := cmp.Diff(reconcile.Coverage{Complete: true, Proves: true, To: now}, facts.Coverage, cmp.AllowUnexported(reconcile.Instant{})); diff != "" {
		t.Error(diff)
	}
	n := 0
	err := readers[0].Fetch(context.Background(), at[1:], func(_ rows.Pos, r *reconcile.Record) error {
		n++
		if r.Key().String() != "b" || r.Locator != "receipts/2" || len(r.Raw) != 4 || string(r.Raw[3].Text) != "62" || r.Raw[3].Kind != "integer" {
			t.Errorf("fetched %+v", r)
		}
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("fetched %d, %v", n, err)
	}
	effects, _ := scanned(t, readers[1])
	if s := readers[1].Stats(); len(effects) != 2 || s.Skipped != 1 || s.Records != 2 || effects[0].Amount.Minor != 1990 {
		t.Errorf("effects %+v, %+v", effects, s)
	}
	lines, _ := scanned(t, readers[2])
	if len(lines) != 3 || !lines[2].NotOurs || lines[0].NotOurs {
		t.Errorf("charges %+v", lines)
	}
	c := readers[2].Facts().Coverage
	if !c.Complete || !c.Proves || c.From.UnixNano() != 10e9 || c.To.UnixNano() != 30e9 {
		t.Errorf("coverage of the log %+v", c)
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	edit := func(s Spec, change func(*Spec)) Spec { change(&s); return s }
	declared := &DeclaredCoverage{From: reconcile.AtUnix(1e9), To: reconcile.AtUnix(99e9), Lag: time.Minute}
	tests := []struct {
		name             string
		spec             Spec
		complete, proves bool
		reason, hint     string
	}{
		{"declared", edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Coverage = declared }), true, true, "", ""},
		{"no times", edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Map = s.Map[:3] }), true, false, "no record has a time", "created_at"},
		{"misspelt claim", edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Coverage, s.Claim = declared, map[string]string{"app": "ordres"} }), false, true, "none of its records is ours", "claim"},
		{"misspelt operation", edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Map[0].Words = map[string]string{"chrage": "create-order"} }), false, true, "none of its records is ours", "operation"},
		{"bad lines", chargesSpec("bad.jsonl"), false, true, "3 rows could not be read, first at bad.jsonl:4: not strict JSON", ""},
		{"cut", chargesSpec("cut.jsonl"), false, true, "cut.jsonl:3 ends in the middle of a line", "complete copy"},
		{"empty", chargesSpec("empty.jsonl"), false, false, "empty.jsonl is empty", "empty"},
		{"missing", chargesSpec("nothing.jsonl"), false, false, "no such file", "path"},
		{"misspelt key", edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Map[1].From = "kee" }), false, true, "no line has any key", "check"},
		{"view", edit(effectsSpec(), func(s *Spec) { s.Table = "few" }), true, false, "a query or view", "coverage"},
		{"query", edit(effectsSpec(), func(s *Spec) { s.Table, s.Query = "", "SELECT * FROM effects" }), true, false, "a query or view", "coverage"},
		{"declared query", edit(effectsSpec(), func(s *Spec) { s.Table, s.Query, s.Coverage = "", "SELECT * FROM effects", declared }), true, true, "", ""},
		{"no table", edit(effectsSpec(), func(s *Spec) { s.Table = "efects" }), false, false, "no such table", ""},
		{"no column", edit(effectsSpec(), func(s *Spec) { s.Map[1].From = "idd" }), false, false, "no such column", ""},
		{"no script", edit(effectsSpec(), func(s *Spec) { s.Path = "gone.sql" }), false, false, "gone.sql: no such file", "path"},
		{"embedded database", edit(effectsSpec(), func(s *Spec) { s.Path = "gone.db" }), false, false, "is embedded", "SQL text"},
		{"bare time", edit(receiptsSpec(), func(s *Spec) { s.Map[3].As = "" }), false, true, "2 rows could not be read, first at receipts/1: expires_at", "as: unix-s"},
		{"mixed key", Spec{Name: "loose", Role: reconcile.RoleEffect, Scheme: SQLite, Path: "orders.sql", Table: "loose", Map: []Field{{Name: "key", From: "key"}}}, false, false, "mixed-type key: key", "one type"},
	}
	for _, tt := range tests {
		r := opened(t, tt.spec).Readers()[0]
		scanned(t, r)
		c := r.Facts().Coverage
		if c.Complete != tt.complete || c.Proves != tt.proves || !strings.Contains(c.Reason, tt.reason) || tt.reason == "" && c.Reason != "" || !strings.Contains(c.Hint, tt.hint) {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
	r := opened(t, tests[0].spec).Readers()[0]
	scanned(t, r)
	if c := r.Facts().Coverage; c.From != declared.From || c.To != declared.To || c.Lag != time.Minute {
		t.Errorf("what is declared does not win: %+v", c)
	}
	r = opened(t, edit(chargesSpec("charges.jsonl"), func(s *Spec) { s.Coverage = &DeclaredCoverage{To: now.Add(time.Hour)} })).Readers()[0]
	scanned(t, r)
	if c := r.Facts().Coverage; c.To != now {
		t.Errorf("it covers what is still to come: %+v", c)
	}
}

// TestOddTimesCoverNothing: one line with a time to come, or with the zero of a clock, does not stretch what a log covers.
func TestOddTimesCoverNothing(t *testing.T) {
	t.Parallel()
	s := &Source{now: now}
	for _, at := range []int64{50e9, 101e9, 30e9, 0, 9e17} {
		s.extend(reconcile.AtUnix(at), reconcile.AtUnix(at))
	}
	s.extend(reconcile.AtUnix(35e9), reconcile.AtUnix(25e9)) // one of which either may be
	s.extend(reconcile.AtUnix(55e9), reconcile.AtUnix(45e9))
	if s.stats.First != reconcile.AtUnix(30e9) || s.stats.Last != reconcile.AtUnix(50e9) {
		t.Errorf("from %v to %v", s.stats.First.Time(), s.stats.Last.Time())
	}
}

func TestMistakesHaveAPlace(t *testing.T) {
	t.Parallel()
	bad := effectsSpec()
	bad.Map[0].Name, bad.Map[0].Line, bad.Map[0].Col = "tenent", 12, 7
	for _, s := range []Spec{bad, {Name: "x", Scheme: "mysql", Line: 12, Col: 7}} {
		set, err := Open(context.Background(), Place{FS: files, Dir: "fx"}, []Spec{s}, now)
		var mistake *SpecError
		if !errors.As(err, &mistake) || mistake.Line != 12 || mistake.Col != 7 || mistake.Hint == "" {
			t.Errorf("%s: %v", s.Scheme, err)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReceiptsAreTakenLast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.sql", "b.sql"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	specs := []Spec{receiptsSpec(), effectsSpec(), effectsSpec()}
	specs[0].Path, specs[1].Path, specs[2].Path = "a.sql", "a.sql", "b.sql"
	temp := t.TempDir()
	set, err := Open(context.Background(), Place{Dir: dir, TempDir: temp}, specs, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.stores) != 2 {
		t.Errorf("%d stores, want 2", len(set.stores))
	}
	if got := set.order(Place{Dir: dir}); !cmp.Equal(got, []int{2, 0, 1}) {
		t.Errorf("opened in order %v, want the store without receipts first", got)
	}
	yes, no := true, false
	witnesses := []Spec{receiptsSpec(), effectsSpec(), chargesSpec("c.jsonl"), {Name: "outbox", Role: reconcile.RoleOutbox, Scheme: CSV}, {Name: "clients", Role: reconcile.RoleIntent, Scheme: JSON}, receiptsSpec(), effectsSpec()}
	for i, path := range map[int]string{0: "a.sql", 1: "b.sql", 5: "old.sql", 6: "c.sql"} {
		witnesses[i].Path, witnesses[i].Serves = path, &yes
	}
	witnesses[5].Serves, witnesses[6].Serves = &no, &no
	all := &Set{}
	for i := range witnesses {
		s, err := newSource(&witnesses[i], witnesses, Place{}, now)
		if err != nil {
			t.Fatal(err)
		}
		all.sources = append(all.sources, s)
	}
	if got := all.order(Place{Dir: dir}); !cmp.Equal(got, []int{5, 6, 4, 3, 2, 1, 0}) {
		t.Errorf("opened in order %v, want witnesses before what they witness", got)
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
}

func TestScanReturnsItsCallersErrorOnly(t *testing.T) {
	t.Parallel()
	r := opened(t, chargesSpec("charges.jsonl")).Readers()[0]
	stop := errors.New("stop")
	if err := r.Scan(context.Background(), func(rows.Pos, *reconcile.Record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if r.Facts().Coverage.Complete {
		t.Error("a stopped scan is complete")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Scan(ctx, func(rows.Pos, *reconcile.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	gone := opened(t, chargesSpec("nothing.jsonl")).Readers()[0]
	if err := gone.Fetch(context.Background(), []rows.Pos{1}, nil); err == nil {
		t.Error("a fetch from what could not be opened succeeded")
	}
}

func TestCheckSaysHowColumnsWereUnderstood(t *testing.T) {
	t.Parallel()
	spec := effectsSpec()
	spec.Map = append(spec.Map, Field{Name: "key", From: "price"})
	c := opened(t, spec).Check(context.Background())[0]
	got := map[string]string{}
	for _, f := range c.Fields {
		got[f.Fact] = f.How + " " + f.Affinity
	}
	want := map[string]string{"tenant": "component ", "effect_id": "reference INTEGER", "amount": "amount (major) NUMERIC", "key": "component NUMERIC"}
	if diff := cmp.Diff(want, got); diff != "" || !c.Opened || len(c.Columns) != 4 {
		t.Errorf("%s, %+v", diff, c)
	}
	notes := strings.Join(c.Notes, "\n")
	if !strings.Contains(notes, "key: column price is declared NUMERIC") || !strings.Contains(notes, "amount: column price") || strings.Contains(notes, "effect_id") {
		t.Errorf("notes %s", notes)
	}
}
