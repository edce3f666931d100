package histories_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// TestTruthThroughFiles writes one past in fifty out as a service would keep it, a database, JSON lines and a CSV file, scans that with the pipeline, and holds
// what is found against judging the records themselves. Then it does so once more with the rows in another order, and some of them several times.
func TestTruthThroughFiles(t *testing.T) {
	t.Parallel()
	const hands, one = 2, 50
	written := make([]int, hands)
	t.Run("histories", func(t *testing.T) {
		for hand := range uint64(hands) {
			t.Run(strconv.FormatUint(hand, 10), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for seed := *first + hand*one; seed < *first+min(*amount, 20_000) && !t.Failed(); seed += hands * one {
					if h := histories.Generate(seed); writable(h) {
						written[hand]++
						through(t, dir, seed, h, h.Records)
						through(t, dir, seed, h, again(h, seed))
					}
				}
			})
		}
	})
	if n := written[0] + written[1]; *amount >= 20_000 && n < 150 {
		t.Errorf("%d pasts were written: too few to say something", n)
	}
}

// writable leaves out what files cannot say alike: an empty store is not taken for a whole one, and how far a table reaches while a transaction is open only
// its database knows. What no config can say is left out too.
func writable(h *histories.History) bool {
	if h.Service.RowKey || h.Book[0].Fingerprint != nil {
		return false
	}
	for i := range h.World.Sources {
		f := &h.World.Sources[i]
		mine := func(r *reconcile.Record) bool { return r.Source == f.Name }
		if !slices.ContainsFunc(h.Records, mine) || f.Role != reconcile.RoleProvider && f.Serves && f.Coverage.To != h.World.Now {
			return false
		}
	}
	return true
}

// again shuffles the records of a past, of which some come twice or three times.
func again(h *histories.History, seed uint64) []*reconcile.Record {
	rng := rand.New(rand.NewPCG(seed, 23))
	out := slices.Clone(h.Records)
	for _, r := range h.Records {
		for range max(0, rng.IntN(5)-2) {
			out = append(out, r)
		}
	}
	rng.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

func through(t *testing.T, dir string, seed uint64, h *histories.History, records []*reconcile.Record) {
	t.Helper()
	path, err := writeHistory(t.Context(), dir, h, records)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, config.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	res, err := scan.Run(t.Context(), cfg, scan.Options{Clock: time.Now, TempDir: dir})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	got := make(map[string]string)
	for c, err := range res.Cases(t.Context(), scan.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[c.CaseID] = said(&c.Judgement)
	}
	want, classes := make(map[string]string), make(map[reconcile.Class]int64)
	for _, v := range judge(h, h.Records, &h.World) {
		if classes[v.j.Class]++; v.j.Class == reconcile.ClassCase {
			want[v.s.ID] = said(v.j)
		}
	}
	c := res.Manifest().Counts
	for class, n := range map[reconcile.Class]int64{
		reconcile.ClassMatched: c.Matched, reconcile.ClassInFlight: c.InFlight, reconcile.ClassExplained: c.Explained, reconcile.ClassInconclusive: c.Inconclusive, reconcile.ClassCase: c.Cases,
	} {
		if classes[class] != n {
			t.Errorf("seed %d: %d subjects are %s, judging the records says %d: %+v", seed, n, class, classes[class], res.Manifest().Sources)
		}
	}
	for id, w := range want {
		if got[id] != w {
			t.Errorf("seed %d: %s: the files say\n%s\nthe records\n%s\n%s", seed, id, got[id], w, notation(h))
		}
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// said is what is concluded of a case, in words that do not name where a row stands.
func said(j *reconcile.Judgement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s %v %s %v %s", j.Kinds, j.Executed, j.Legs, j.RetryNow, j.Exposure, j.Amount)
	for _, o := range j.Options {
		fmt.Fprintf(&b, "; %s %s %s", o.Decision, o.As, o.Code)
	}
	return b.String()
}

// columns of each role, as the simulation's records fill them.
var columns = map[reconcile.Role][]string{
	reconcile.RoleReceipt:  {"tenant", "operation", "key", "customer", "state", "effect_id", "provider_ref", "params", "generation", "created_at", "updated_at", "locked_at", "lease_until", "completed_at", "expires_at"},
	reconcile.RoleEffect:   {"tenant", "operation", "key", "customer", "order_no", "status", "effect_id", "provider_ref", "params", "generation", "amount", "created_at"},
	reconcile.RoleOutbox:   {"tenant", "operation", "key", "sent", "effect_id", "message_id", "created_at", "sent_at", "confirmed_at"},
	reconcile.RoleIntent:   {"tenant", "operation", "key", "customer", "params", "amount", "created_at", "due_at", "attempts"},
	reconcile.RoleProvider: {"tenant", "operation", "key", "provider_key", "outcome", "object_id", "event_id", "amount", "created_at"},
}

// words of the closed facts.
var closed = map[string]string{
	"state": "in-progress completed failed-final failed-retryable", "status": "effective void reversed", "outcome": "succeeded pending failed reversed", "sent": "unsent sent confirmed",
}

// cells are the columns of one record that its source has, as text; nil where it has none.
func cells(h *histories.History, r *reconcile.Record) map[string]any {
	out := make(map[string]any)
	for _, f := range reconcile.FactsOf(r) {
		out[f.Name] = f.Value.String()
	}
	if r.Amount.Valid {
		out["amount"] = r.Amount.Minor
	}
	if r.Generation.Valid {
		out["generation"] = r.Generation.N
	}
	attempts := make([]map[string]string, len(r.Attempts))
	for i, a := range r.Attempts {
		attempts[i] = map[string]string{"at": a.At.Time().Format(time.RFC3339Nano), "outcome": a.Outcome.String(), "target": a.Target.String()}
	}
	if r.Role == reconcile.RoleIntent {
		out["attempts"] = attempts
	}
	return out
}

// has lists the columns of a source.
func has(h *histories.History, f *reconcile.SourceFacts) []string {
	s := &h.Service
	lacks := map[string]bool{
		"provider_key": !f.SentKeys, "customer": !s.Actors || f.Role == reconcile.RoleEffect && !s.RowActors, "order_no": !s.Unique, "params": f.Role == reconcile.RoleEffect && !s.ParamsRows, "generation": f.Role == reconcile.RoleEffect && !s.GenRows,
	}
	return slices.DeleteFunc(slices.Clone(columns[f.Role]), func(c string) bool {
		return lacks[c] || slices.Contains(columns[reconcile.RoleProvider][:3], c) && !slices.Contains(f.Components, c)
	})
}

// writeHistory keeps a past as its service would, and writes the config that reads it.
func writeHistory(ctx context.Context, dir string, h *histories.History, records []*reconcile.Record) (path string, err error) {
	var sources strings.Builder
	store := filepath.Join(dir, "service.sqlite")
	if err := os.Remove(store); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	db, err := sql.Open("sqlite", store)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"); err != nil {
		return "", err
	}
	for i := range h.World.Sources {
		f := &h.World.Sources[i]
		var rows []map[string]any
		for _, r := range records {
			if r.Source == f.Name {
				rows = append(rows, cells(h, r))
			}
		}
		open := ""
		switch {
		case f.Role == reconcile.RoleProvider || f.Role == reconcile.RoleIntent:
			open, err = "jsonl:"+f.Name+".jsonl", writeLines(filepath.Join(dir, f.Name+".jsonl"), rows)
		case !f.Serves:
			open, err = "csv:"+f.Name+".csv", writeCSV(filepath.Join(dir, f.Name+".csv"), has(h, f), rows)
		default:
			open, err = "sqlite:service.sqlite\n    table: "+f.Name, writeTable(ctx, db, f.Name, has(h, f), rows)
		}
		if err != nil {
			return "", err
		}
		sources.WriteString(sourceText(h, f, open))
	}
	path = filepath.Join(dir, "idemctl.yaml")
	return path, os.WriteFile(path, []byte(configText(h)+sources.String()), 0o600)
}

func writeLines(path string, rows []map[string]any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

func writeCSV(path string, cols []string, rows []map[string]any) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	lines := [][]string{cols}
	for _, row := range rows {
		line := make([]string, len(cols))
		for i, c := range cols {
			if row[c] != nil {
				line[i] = fmt.Sprint(row[c])
			}
		}
		lines = append(lines, line)
	}
	if err := w.WriteAll(lines); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

func writeTable(ctx context.Context, db *sql.DB, name string, cols []string, rows []map[string]any) error {
	if _, err := db.ExecContext(ctx, "CREATE TABLE "+name+" (id INTEGER PRIMARY KEY, "+strings.Join(cols, ", ")+")"); err != nil {
		return err
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(cols)), ",")
	for _, row := range rows {
		args := make([]any, len(cols))
		for i, c := range cols {
			args[i] = row[c]
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO "+name+" ("+strings.Join(cols, ", ")+") VALUES ("+marks+")", args...); err != nil {
			return err
		}
	}
	return nil
}
