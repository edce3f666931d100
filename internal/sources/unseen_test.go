package sources

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
)

// TestWhatNoRecordHas is said: a map that reads past what stands there leaves the source incomplete where a conclusion would rest on it, and is noted where
// none would. A member that some record has, null included, is there.
func TestWhatNoRecordHas(t *testing.T) {
	t.Parallel()
	const wrapped = `{"Get": {"id": "tr_1", "key": "a", "status": "paid"}, "Cancel": {"id": "tr_2", "key": "b", "status": "open"}}`
	provider := []Field{
		{Name: "operation", Const: new("pay")},
		{Name: "key", From: "key"},
		{Name: "object_id", From: "id"},
		{Name: "outcome", From: "status", Words: map[string]string{"paid": "succeeded", "open": "pending"}},
		{Name: "error_code", From: "failure.code"},
	}
	words := func(null string) []Field {
		return []Field{{Name: "key", From: "k"}, {Name: "status", From: "s", Words: map[string]string{"ok": "effective", null: "pending"}}}
	}
	provided := func() []Field {
		return []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "id"}, {Name: "outcome", From: "o", Words: map[string]string{"ok": "succeeded", "no": "failed", "null": "unknown"}}}
	}
	for _, tt := range []struct {
		name, file, text string
		spec             Spec
		reason           string // "" = complete
		unseen           string // facts that no record has
		refs             bool
	}{
		{"a document that wraps many", "w.json", wrapped, Spec{Role: reconcile.RoleProvider, Map: provider}, "no record has any key", "key object_id outcome error_code", false},
		{"the same without key", "w.json", wrapped, Spec{Role: reconcile.RoleProvider, Map: append(provider[:1:1], provider[2:]...)}, "no record has id, from which object_id is read", "object_id outcome error_code", false},
		{"a list of them", "w.json", `[{"id": "tr_1", "key": "a", "status": "paid"}, {"id": null, "key": "b", "status": "open"}]`, Spec{Role: reconcile.RoleProvider, Map: provider}, "", "error_code", false},
		{"a word that no line has", "w.jsonl", `{"k": "a"}` + "\n", Spec{Role: reconcile.RoleEffect, Map: words("-")}, "w.jsonl:1: status", "", false},
		{"a word for what lacks it", "w.jsonl", `{"k": "a"}` + "\n", Spec{Role: reconcile.RoleEffect, Map: words("null")}, "", "status", false},
		{"null is a value", "w.jsonl", `{"k": "a", "s": null}` + "\n", Spec{Role: reconcile.RoleEffect, Map: words("null")}, "", "", false},
		{"only theirs have it", "w.jsonl", `{"k":"a","app":"x"}` + "\n" + `{"k":"b","id":"o","app":"y"}` + "\n", Spec{Role: reconcile.RoleProvider, Claim: map[string]string{"app": "x"}, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "id"}}}, "no line has id", "object_id", false},
		{"an intent without any answer", "w.jsonl", `{"k":"a"}` + "\n", Spec{Role: reconcile.RoleIntent, Row: "attempt", Map: []Field{{Name: "key", From: "k"}, {Name: "outcome", From: "o"}}}, "", "outcome", false},
		{"state by presence", "w.jsonl", `{"k":"a","done":"x"}` + "\n", Spec{Role: reconcile.RoleReceipt, Map: []Field{{Name: "key", From: "k"}, {Name: "state", Presence: []Presence{{Word: "completed", Column: "done"}, {Word: "in-progress", Column: "locked"}}}}}, "", "", false},
		{"state by the presence of nothing", "w.jsonl", `{"k":"a"}` + "\n", Spec{Role: reconcile.RoleReceipt, Map: []Field{{Name: "key", From: "k"}, {Name: "state", Presence: []Presence{{Word: "completed", Column: "done"}, {Word: "in-progress", Column: "locked"}}}}}, "no line has done, locked", "state", false},
		{"a part that no line has", "w.jsonl", `{"k":"a"}` + "\n", Spec{Role: reconcile.RoleReceipt, Map: []Field{{Name: "key", From: "k"}, {Name: "tenant", Parts: []mapping.Part{{Column: "k"}, {Column: "t"}}}}}, "no line has any tenant", "tenant", false},
		{"a member of a column", "w.csv", "k,body\na,\"{\"\"status\"\": \"\"x\"\"}\"\n", Spec{Role: reconcile.RoleReceipt, Map: []Field{{Name: "key", From: "k"}, {Name: "effect_id", From: "body.id"}, {Name: "tenant", From: "body.tenant"}}}, "no row has body.tenant, from which tenant is read", "effect_id tenant", false},
		{"an object of several", "w.jsonl", `{"k":"a","made":[{"id":"i-2"},{"id":"i-1"}]}` + "\n" + `{"k":"b","made":[{"id":"i-3"}]}` + "\n", Spec{Role: reconcile.RoleProvider, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "made[].id"}}}, "", "", true},
		{"an object of several that cannot be told apart", "w.jsonl", `{"k":"a","made":[{"id":"i,2"},{"id":"i-1"}]}` + "\n", Spec{Role: reconcile.RoleProvider, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "made[].id"}}}, "", "", false},
		{"an object of several, one of which is spelled with its place", "w.jsonl", `{"k":"a","made":[{"id":"1"},{"id":"arn:aws:ecs:x"}]}` + "\n", Spec{Role: reconcile.RoleProvider, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "made[].id"}}}, "", "", false},
		{"a list of one each", "w.jsonl", `{"k":"a","made":[{"id":"i-2"}]}` + "\n" + `{"k":"b","made":[{"id":"i-3"}]}` + "\n", Spec{Role: reconcile.RoleProvider, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "made[].id"}}}, "", "", true},
		{"a line that made what it does not name", "w.jsonl", `{"k":"a","id":"o-1"}` + "\n" + `{"k":"b"}` + "\n", Spec{Role: reconcile.RoleProvider, Map: provided()}, "", "outcome", false},
		{"an empty name", "w.jsonl", `{"k":"a","id":"o-1"}` + "\n" + `{"k":"b","id":""}` + "\n", Spec{Role: reconcile.RoleProvider, Map: provided()}, "", "outcome", false},
		{"a line that made nothing", "w.jsonl", `{"k":"a","id":"o-1","o":"ok"}` + "\n" + `{"k":"b","o":"no"}` + "\n", Spec{Role: reconcile.RoleProvider, Map: provided()}, "", "", true},
		{"theirs names nothing", "w.jsonl", `{"k":"a","id":"o-1","o":"ok","app":"x"}` + "\n" + `{"k":"b","o":"ok"}` + "\n", Spec{Role: reconcile.RoleProvider, Claim: map[string]string{"app": "x"}, Map: provided()}, "", "", true},
		{"a name of which rows may hold the end", "w.jsonl", `{"k":"a","made":[{"id":"arn:aws:ecs:eu-west-1:1:task/c/7"}]}` + "\n", Spec{Role: reconcile.RoleProvider, Map: []Field{{Name: "key", From: "k"}, {Name: "object_id", From: "made[].id"}}}, "", "", false},
		{"an effect by its own id", "w.csv", "k,id\na,1\n", Spec{Role: reconcile.RoleEffect, Map: []Field{{Name: "key", From: "k"}, {Name: "effect_id", From: "id"}}}, "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.spec
			s.Name, s.Path, s.Scheme = "s", tt.file, map[string]Scheme{"json": JSON, "sonl": JSONL, ".csv": CSV}[tt.file[len(tt.file)-4:]]
			set, err := Open(t.Context(), Place{FS: fstest.MapFS{tt.file: {Data: []byte(tt.text)}}, Dir: "."}, []Spec{s}, now)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := set.Close(); err != nil {
					t.Error(err)
				}
			}()
			for range 2 { // a second scan says the same
				scanned(t, set.Readers()[0])
			}
			facts := set.Readers()[0].Facts()
			if c := facts.Coverage; c.Complete != (tt.reason == "") || !strings.Contains(c.Reason, tt.reason) || !c.Complete && c.Hint == "" {
				t.Errorf("%+v, want %q", c, tt.reason)
			}
			if facts.NoOwnRef == tt.refs {
				t.Errorf("its rows carry no reference of their own: %t", facts.NoOwnRef)
			}
			var missing []string
			for _, f := range set.Check(context.Background())[0].Fields {
				if f.Unseen {
					missing = append(missing, f.Fact)
				}
			}
			if got := strings.Join(missing, " "); got != tt.unseen {
				t.Errorf("in no record: %q, want %q", got, tt.unseen)
			}
		})
	}
}

// TestReferencesThatNobodyPointsAt do not let a source testify: an order that maps the provider's object alone cannot show that the order itself is missing.
func TestReferencesThatNobodyPointsAt(t *testing.T) {
	t.Parallel()
	for fact, own := range map[string]map[reconcile.Role]bool{
		"effect_id":    {reconcile.RoleReceipt: true, reconcile.RoleEffect: true, reconcile.RoleProvider: false},
		"object_id":    {reconcile.RoleProvider: true, reconcile.RoleEffect: false},
		"provider_ref": {reconcile.RoleReceipt: false, reconcile.RoleEffect: false, reconcile.RoleOutbox: true, reconcile.RoleIntent: true},
		"request_id":   {reconcile.RoleProvider: false},
	} {
		for role, want := range own {
			m, err := mapping.Compile(mapping.Input{Role: role, Fields: []Field{{Name: fact, From: "x"}}})
			if err != nil || !m.MapsRef() || m.MapsOwnRef() != want {
				t.Errorf("%s of %s: %v, own %t", fact, role, err, m.MapsOwnRef())
			}
		}
	}
}
