package config

import (
	"os"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
)

func loadFull(t *testing.T) *Config {
	t.Helper()
	cfg, err := Load("testdata/full.yaml", Options{Getenv: func(name string) string { return map[string]string{"DATA": "/data"}[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func at(t *testing.T, s string) reconcile.Instant {
	t.Helper()
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return reconcile.At(when)
}

var byValue = cmp.AllowUnexported(reconcile.Instant{})

func TestEveryFieldLands(t *testing.T) {
	t.Parallel()
	cfg := loadFull(t)
	if cfg.Name != "orders-prod" || cfg.Path != "testdata/full.yaml" || cfg.Audit != "sqlite:audit.db" || cfg.Now != at(t, "2026-11-29T06:00:00Z") || cfg.Place.Dir != "testdata" || cfg.Place.FS != nil || cfg.Fixture {
		t.Errorf("the file's head: %+v", cfg)
	}
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := digest(data); cfg.Digest != want {
		t.Errorf("digest %s, want %s", cfg.Digest, want)
	}
	if diff := cmp.Diff(wantContract(t), cfg.Contracts[0], byValue); diff != "" {
		t.Errorf("the contract (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantEvents(t), cfg.Events, byValue); diff != "" {
		t.Errorf("restore (-want +got):\n%s", diff)
	}
	places := cmpopts.IgnoreFields(sources.Field{}, "Line", "Col")
	spots := cmpopts.IgnoreFields(sources.Spec{}, "Line", "Col", "Components", "Extra", "Several")
	if diff := cmp.Diff(wantSources(t), cfg.Sources, byValue, places, spots); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"key", "operation", "tenant"}, cfg.Sources[0].Components); diff != "" {
		t.Errorf("components:\n%s", diff)
	}
	if several := len(cfg.Contracts) > 1; cfg.Sources[0].Several != several {
		t.Errorf("several contracts: %t", cfg.Sources[0].Several)
	}
	if diff := cmp.Diff([]string{"customer_id"}, cfg.Sources[0].Extra); diff != "" {
		t.Errorf("extra:\n%s", diff)
	}
	if s := cfg.Sources[2]; s.Line != 80 || s.Col != 5 || s.Map[0].Line != 86 || s.Map[0].Col != 7 {
		t.Errorf("orders stands at %d:%d, its key at %d:%d", s.Line, s.Col, s.Map[0].Line, s.Map[0].Col)
	}
}

func wantContract(t *testing.T) *reconcile.Contract {
	t.Helper()
	return &reconcile.Contract{
		Name: "orders", Operations: []string{"create-order", "refund-*"}, Aliases: map[string]string{"POST /v1/orders": "create-order"}, Scope: []string{"tenant", "operation", "key"},
		Effect: reconcile.LegsLocal, Atomic: true, Order: reconcile.OrderProviderFirst, EffectWhen: []reconcile.Range{{From: 200, To: 299}}, EffectWithin: reconcile.For(3 * time.Minute),
		Expects:   map[string]reconcile.Quantity{"orders": {Min: 1, Max: 1}, "ledger": {Min: 2, Max: -1}},
		Retention: reconcile.For(24 * time.Hour), Expiry: reconcile.Expiry{Inclusive: true, ByReaper: true}, RetryWindow: reconcile.For(72 * time.Hour),
		Settle: 90 * time.Second, Lease: reconcile.For(5 * time.Minute), DeadAfter: reconcile.For(time.Hour), ResendAfter: reconcile.For(5 * time.Minute), Margin: 30 * time.Minute,
		Since: at(t, "2026-01-01T00:00:00Z"), Key: reconcile.KeyOptional,
		Unique: []reconcile.UniqueRule{{Columns: []string{"tenant", "business_ref"}, Where: map[string]string{"status": "effective"}}},
		Actor:  []string{"customer_id"}, TwinWindow: 20 * time.Minute,
		Fingerprint: &reconcile.FingerprintSpec{Algorithm: "sha256", Over: []string{"amount", "currency", "product"}, Version: 2},
		Params: &reconcile.ParamSpec{
			Exclude:  []string{"trace_id", "sent_at"},
			Defaults: map[string]string{"currency": `"EUR"`, "count": "1", "tags": `["a",null]`, "nested": `{"x":true}`},
		},
		Occupies: []reconcile.Failure{{Name: "provider-5xx"}, {Name: "business-rejection"}}, Frees: []reconcile.Failure{{Name: "validation"}},
		Provider: &reconcile.Profile{
			Name: "declared", Dedup: true, Retention: reconcile.RetentionMinimum, For: 24 * time.Hour, Scope: []string{"account", "mode"}, BodyCheck: true,
			Remembers: "all", Lookup: "by-key", Lag: 15 * time.Minute, History: 720 * time.Hour, Source: "declared in the config",
		},
		ProviderKey: reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: "orders-{key}"},
		FourEyes:    []string{"replay"}, ApprovalLife: reconcile.For(4 * time.Hour), ReplayMaxAge: reconcile.For(72 * time.Hour), SharedEffects: true, Free: []string{"tenant"},
		Rebuild: &reconcile.Rebuild{ResponseStatus: 201, ResponseBody: `{"order_id": {effect_id}}`},
		Compare: map[string]reconcile.Comparison{"key": reconcile.CompareCI},
	}
}

func wantEvents(t *testing.T) []reconcile.Event {
	t.Helper()
	resumed := at(t, "2026-11-29T02:44:12Z")
	return []reconcile.Event{
		{Store: "receipts", From: at(t, "2026-11-29T02:10:00Z"), To: resumed, ResumedAt: resumed, Only: map[string][]string{"tenant": {"t07"}}},
		{Store: "orders", Kind: reconcile.EventCleared, To: at(t, "2026-11-28T00:00:00Z")},
	}
}

func wantSources(t *testing.T) []sources.Spec {
	t.Helper()
	yes, no, constant := true, false, "create-order"
	const store, shown = "/data/orders.sqlite", "sqlite:${DATA}/orders.sqlite"
	held := []sources.Variable{{Name: "DATA", Held: "/data"}}
	return []sources.Spec{
		{
			Name: "receipts", Role: reconcile.RoleReceipt, Scheme: sources.SQLite, Path: store, Shown: shown, Variables: held, Serves: &yes, Table: "receipts",
			Where: map[string]string{"origin": "api"}, Skew: 2 * time.Second, Fingerprint: &reconcile.FingerprintSpec{Algorithm: "sha256", Over: []string{"amount"}, Version: 2},
			Map: []sources.Field{
				{Name: "tenant", From: "tenant_id"},
				{Name: "operation", Const: &constant},
				{Name: "key", From: "id", StripPrefix: "fn#", Lower: true, Truncate: 50, Split: ":", SplitIndex: 1},
				{Name: "effect_id", From: "result.effect_id"},
				{Name: "fingerprint", From: "request_hash"},
				{Name: "state", From: "status", Words: map[string]string{"PROCESSING": "in-progress", "COMPLETED": "completed", "*": "unknown"}},
				{Name: "expires_at", From: "expires_at", As: "unix-s"},
				{Name: "created_at", From: "created", As: "2006-01-02 15:04:05", Zone: "Europe/Zurich"},
				{Name: "generation", From: `"a.b"`},
			},
		},
		{
			Name: "old-receipts", Role: reconcile.RoleReceipt, Scheme: sources.SQLite, Path: "old.sqlite", Shown: "sqlite:old.sqlite", Serves: &no, Table: "receipts",
			Map: []sources.Field{
				{Name: "key", Parts: []mapping.Part{{Column: "function"}, {Column: "body"}}, Hash: "md5-hex", Prefix: "p-"},
				{Name: "state", Presence: []sources.Presence{{Word: "in-progress", Column: "locked_at"}, {Word: "completed", Column: "completed_at"}}},
			},
		},
		{
			Name: "orders", Role: reconcile.RoleEffect, Scheme: sources.SQLite, Path: store, Shown: shown, Variables: held, Serves: &yes, Table: "orders", Retained: reconcile.For(2160 * time.Hour),
			Map: []sources.Field{
				{Name: "key", From: "request_key"},
				{Name: "customer_id", From: "customer"},
				{Name: "status", From: "status", Words: map[string]string{"paid": "effective", "new": "pending", "cancelled": "void", "null": "void"}},
				{Name: "amount", From: "amount", Unit: "minor", Currencies: []string{"currency"}},
			},
		},
		{
			Name: "ledger", Role: reconcile.RoleEffect, Scheme: sources.SQLite, Path: store, Shown: shown, Variables: held, Serves: &yes, Query: "SELECT * FROM ledger", ID: []string{"pk1", "pk2"},
			Coverage: &sources.DeclaredCoverage{From: at(t, "2026-01-01T00:00:00Z"), To: reconcile.AtUnix(1796000000e9), Lag: 15 * time.Minute, Partitions: map[string][]string{"region": {"eu-west-1"}}},
			Map:      []sources.Field{{Name: "key", From: "k"}, {Name: "amount", From: "amount", Unit: "major", CurrencyIs: "EUR"}},
		},
		{
			Name: "charges", Role: reconcile.RoleProvider, Scheme: sources.JSONL, Path: "charges-*.jsonl.gz", Shown: "jsonl:charges-*.jsonl.gz", Claim: map[string]string{"metadata.app": "orders"}, Lag: time.Hour,
			Map: []sources.Field{{Name: "object_id", From: "data.object.id"}, {Name: "outcome", From: "type", Words: map[string]string{"charge.succeeded": "succeeded", "charge.failed": "failed"}}},
		},
		{
			Name: "attempts", Role: reconcile.RoleIntent, Scheme: sources.JSONL, Path: "intents.jsonl", Shown: "jsonl:intents.jsonl", Row: "attempt",
			Map: []sources.Field{{Name: "key", From: "key"}, {Name: "attempt_at", From: "at"}, {Name: "target", From: "to"}},
		},
		{
			Name: "sheet", Role: reconcile.RoleOutbox, Scheme: sources.CSV, Path: "outbox.csv", Shown: "csv:outbox.csv", CSV: &sources.CSVShape{Delimiter: ';', Header: true, Skip: 1, Encoding: "utf-8"},
			Map: []sources.Field{{Name: "message_id", From: "id"}, {Name: "key", From: "key"}},
		},
		{
			Name: "feed", Role: reconcile.RoleIntent, Scheme: sources.JSON, Path: "feed.json", Shown: "json:feed.json", Rows: []string{"Records"},
			Map: []sources.Field{{Name: "key", From: "key"}},
		},
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c := loadFull(t).Contracts[1]
	if c.Name != "*" || c.Effect != reconcile.LegsBoth || c.Settle != 2*time.Minute || c.Margin != time.Hour || c.TwinWindow != 10*time.Minute || c.EffectWithin != reconcile.For(2*time.Minute) || c.Key != reconcile.KeyRequired {
		t.Errorf("defaults: %+v", c)
	}
	if c.Retention.Valid || c.Lease.Valid || c.DeadAfter.Valid || c.Params != nil || c.Rebuild != nil {
		t.Errorf("declared without being said: %+v", c)
	}
	if p := c.Provider; p.Name != "square" || p.Retention != reconcile.RetentionExact || p.For != 7*24*time.Hour || !p.BodyCheck {
		t.Errorf("square with its retention: %+v", p)
	}
	if p, _ := reconcile.ProfileByName("square"); p.Retention != reconcile.RetentionNone {
		t.Error("reading a config changed a shipped profile")
	}
}
