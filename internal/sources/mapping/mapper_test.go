package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// ptr names a constant.
func ptr(s string) *string { return &s }

// mapped compiles a map and reads one JSON object with it.
func mapped(t *testing.T, in Input, doc string) (*reconcile.Record, *Unreadable) {
	t.Helper()
	m, err := Compile(in)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	r, bad := m.Map(cellsOf(t, m, doc))
	return r, bad
}

func cellsOf(t testing.TB, m *Mapper, doc string) []rows.Cell {
	t.Helper()
	paths := make([][]string, len(m.Paths()))
	for i, p := range m.Paths() {
		paths[i] = append([]string{p.Column}, p.Members...)
	}
	cells := make([]rows.Cell, len(paths))
	if err := jsonwalk.Compile(paths).Walk([]byte(doc), cells); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return cells
}

// TestEmptyTexts says of which components an empty text is a value: of a key it names no action, and it is told.
func TestEmptyTexts(t *testing.T) {
	t.Parallel()
	in := Input{Role: reconcile.RoleReceipt, Fields: []Field{{Name: "tenant", From: "t"}, {Name: "key", From: "k"}}}
	for doc, empty := range map[string]bool{`{"t":"","k":""}`: true, `{"t":"","k":"x"}`: false, `{"t":"","k":null}`: false} {
		r, bad := mapped(t, in, doc)
		if bad != nil || !r.Component("tenant").Known() || r.EmptyKey != empty || (empty && r.Key().Known()) {
			t.Errorf("%s: %+v, %v", doc, r, bad)
		}
	}
}

func TestTextsAndTransforms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		field Field
		doc   string
		want  string // "-" is unknown, "! …" an unreadable row
	}{
		{"text", Field{From: "k"}, `{"k":"A b"}`, "A b"},
		{"empty is no key", Field{From: "k"}, `{"k":""}`, "-"},
		{"null", Field{From: "k"}, `{"k":null}`, "-"},
		{"absent", Field{From: "k"}, `{}`, "-"},
		{"integer", Field{From: "k"}, `{"k":7}`, "7"},
		{"big integer", Field{From: "k"}, `{"k":9223372036854775808}`, "9223372036854775808"},
		{"boolean", Field{From: "k"}, `{"k":true}`, "true"},
		{"number keeps its text", Field{From: "k"}, `{"k":1.50}`, "1.50"},
		{"NUL", Field{From: "k"}, `{"k":"a\u0000b"}`, "a\x00b"},
		{"object", Field{From: "k"}, `{"k":{"a":1}}`, "! is a JSON object or array"},
		{"member", Field{From: "a.b"}, `{"a":{"b":"x"}}`, "x"},
		{"quoted name", Field{From: `"a.b".c`}, `{"a.b":{"c":"x"}}`, "x"},
		{"constant", Field{Const: ptr("fixed")}, `{}`, "fixed"},
		{"strip prefix", Field{From: "k", StripPrefix: "fn#"}, `{"k":"fn#x"}`, "x"},
		{"prefix that is not there", Field{From: "k", StripPrefix: "fn#"}, `{"k":"gn#x"}`, "! does not start with"},
		{"prefix", Field{From: "k", Prefix: "p-"}, `{"k":"x"}`, "p-x"},
		{"lower", Field{From: "k", Lower: true}, `{"k":"ÄbC"}`, "äbc"},
		{"split", Field{From: "k", Split: ":", SplitIndex: 1}, `{"k":"a:b:c"}`, "b"},
		{"split first", Field{From: "k", Split: ":"}, `{"k":"a"}`, "a"},
		{"split too few", Field{From: "k", Split: ":", SplitIndex: 2}, `{"k":"a:b"}`, "! too few parts"},
		{"truncate characters", Field{From: "k", Truncate: 3}, `{"k":"äöüß"}`, "äöü"},
		{"md5", Field{From: "k", Hash: "md5-hex"}, `{"k":"abc"}`, "900150983cd24fb0d6963f7d28e17f72"},
		{"sha256", Field{From: "k", Hash: "sha256-hex"}, `{"k":"abc"}`, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"base64", Field{From: "k", Hash: "sha256-base64"}, `{"k":"abc"}`, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
		{"parts", Field{Parts: parts("a", "n", "b")}, `{"a":"x","n":12,"b":"y"}`, "x12y"},
		{"a part that is null", Field{Parts: parts("a", "b")}, `{"a":"x","b":null}`, "-"},
		{"hashed parts with prefix", Field{Parts: parts("a", "b"), Hash: "md5-hex", Prefix: "fn#"}, `{"a":"a","b":"bc"}`, "fn#900150983cd24fb0d6963f7d28e17f72"},
		{"words", Field{From: "k", Words: map[string]string{"7": "seven"}}, `{"k":7}`, "seven"},
		{"star", Field{From: "k", Words: map[string]string{"7": "seven", "*": "other"}}, `{"k":8}`, "other"},
		{"star is not null", Field{From: "k", Words: map[string]string{"*": "other"}}, `{"k":null}`, "-"},
		{"null word", Field{From: "k", Words: map[string]string{"null": "none"}}, `{}`, "none"},
		{"unmapped word", Field{From: "k", Words: map[string]string{"7": "seven"}}, `{"k":"8\u202e"}`, `! column k: "8\u{202e}" is no word`},
	}
	for _, tt := range tests {
		tt.field.Name = "key"
		r, bad := mapped(t, Input{Role: reconcile.RoleEffect, Fields: []Field{tt.field}}, tt.doc)
		switch {
		case bad != nil:
			if want, ok := strings.CutPrefix(tt.want, "! "); !ok || !strings.Contains(bad.Reason, want) {
				t.Errorf("%s: unreadable %q, want %q", tt.name, bad.Reason, tt.want)
			}
		case !r.Key().Known():
			if tt.want != "-" {
				t.Errorf("%s: unknown, want %q", tt.name, tt.want)
			}
		case r.Key().String() != tt.want:
			t.Errorf("%s: got %q, want %q", tt.name, r.Key().String(), tt.want)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	words := Field{Name: "state", From: "s", Words: map[string]string{"DONE": "completed", "RUN": "in-progress", "null": "failed-retryable"}}
	presence := Field{Name: "state", Presence: []Presence{{"in-progress", "locked_at"}, {"completed", "completed_at"}}}
	status := Field{Name: "response_status", From: "code"}
	tests := []struct {
		fields []Field
		doc    string
		want   reconcile.State
		bad    string
	}{
		{nil, `{}`, reconcile.StateCompleted, ""},
		{[]Field{words}, `{"s":"DONE"}`, reconcile.StateCompleted, ""},
		{[]Field{words}, `{"s":null}`, reconcile.StateFailedRetryable, ""},
		{[]Field{words}, `{"s":"done"}`, 0, "is no word"},
		{[]Field{{Name: "state", From: "s"}}, `{"s":"failed-final"}`, reconcile.StateFailedFinal, ""},
		{[]Field{{Name: "state", From: "s"}}, `{"s":null}`, 0, "is null"},
		{[]Field{{Name: "state", Const: ptr("unknown")}}, `{}`, reconcile.StateUnknown, ""},
		{[]Field{presence}, `{"locked_at":1}`, reconcile.StateInProgress, ""},
		{[]Field{presence}, `{"locked_at":1,"completed_at":2}`, reconcile.StateCompleted, ""},
		{[]Field{presence}, `{"locked_at":null}`, reconcile.StateUnknown, ""},
		{[]Field{status}, `{"code":null}`, reconcile.StateInProgress, ""},
		{[]Field{status}, `{"code":201}`, reconcile.StateCompleted, ""},
		{[]Field{status}, `{"code":"302"}`, reconcile.StateCompleted, ""},
		{[]Field{status}, `{"code":409}`, reconcile.StateFailedFinal, ""},
		{[]Field{status}, `{"code":100}`, 0, "no final HTTP status"},
		{[]Field{status}, `{"code":"ok"}`, 0, "is no whole number"},
		{[]Field{words, status}, `{"s":"DONE","code":500}`, reconcile.StateCompleted, ""},
	}
	for _, tt := range tests {
		r, bad := mapped(t, Input{Role: reconcile.RoleReceipt, Fields: tt.fields}, tt.doc)
		switch {
		case bad != nil:
			if tt.bad == "" || !strings.Contains(bad.Reason, tt.bad) {
				t.Errorf("%s: unreadable %q, want %q", tt.doc, bad.Reason, tt.bad)
			}
		case tt.bad != "" || r.State != tt.want:
			t.Errorf("%s: got %v, want %v %s", tt.doc, r.State, tt.want, tt.bad)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		field      Field
		doc        string
		want, hint string
	}{
		{Field{}, `{"t":"2026-01-02T03:04:05Z"}`, "2026-01-02T03:04:05Z", ""},
		{Field{}, `{"t":"2026-01-02T03:04:05.123456789+02:00"}`, "2026-01-02T01:04:05.123456789Z", ""},
		{Field{As: "rfc3339"}, `{"t":"2026-01-02T03:04:05Z"}`, "2026-01-02T03:04:05Z", ""},
		{Field{}, `{"t":null}`, "-", ""},
		{Field{}, `{"t":1761000000}`, "! is a bare number", "unix-s"},
		{Field{}, `{"t":1761000000000}`, "! is a bare number", "unix-ms"},
		{Field{}, `{"t":"1761000000000000"}`, "! is a bare number", "unix-us"},
		{Field{}, `{"t":"2026-01-02 03:04:05"}`, "! has no zone", "zone"},
		{Field{}, `{"t":"infinity"}`, "! has no end", "query"},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05.25"}`, "2026-07-02T01:04:05.25Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02"}`, "2026-07-01T22:00:00Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02T03:04:05Z"}`, "2026-07-02T03:04:05Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"07/02/2026"}`, "! is not RFC 3339", "layout"},
		{Field{Zone: "Europe/Zurich"}, `{"t":1761000000}`, "! is a bare number", "unix-s"},
		{Field{}, `{"t":"2026-01-02T03:04:05+0000"}`, "! is not RFC 3339", "layout"},
		{Field{}, `{"t":"1600-01-02T03:04:05Z"}`, "! outside the years", ""},
		{Field{As: "unix-s"}, `{"t":61}`, "1970-01-01T00:01:01Z", ""},
		{Field{As: "unix-s"}, `{"t":"61"}`, "1970-01-01T00:01:01Z", ""},
		{Field{As: "unix-s"}, `{"t":61.25}`, "1970-01-01T00:01:01.25Z", ""},
		{Field{As: "unix-s"}, `{"t":-0.5}`, "1969-12-31T23:59:59.5Z", ""},
		{Field{As: "unix-s"}, `{"t":1761000000000}`, "! outside the years", "unix-ms"},
		{Field{As: "unix-s"}, `{"t":1e9}`, "! no count", ""},
		{Field{As: "unix-s"}, `{"t":"61."}`, "! no count", ""},
		{Field{As: "unix-ms"}, `{"t":1761000000123}`, "2025-10-20T22:40:00.123Z", ""},
		{Field{As: "unix-us"}, `{"t":1761000000123456}`, "2025-10-20T22:40:00.123456Z", ""},
		{Field{As: "2006-01-02 15:04:05", Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05"}`, "2026-07-02T01:04:05Z", ""},
		{Field{As: "2006-01-02 15:04:05Z07:00"}, `{"t":"2026-07-02 03:04:05-01:00"}`, "2026-07-02T04:04:05Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05.5"}`, "2026-07-02T01:04:05.5Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05-01:00"}`, "2026-07-02T04:04:05Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05.25+00"}`, "2026-07-02T03:04:05.25Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02T03:04:05+0000"}`, "2026-07-02T03:04:05Z", ""},
		{Field{Zone: "Europe/Zurich"}, `{"t":"2026-07-02 03:04:05 CET"}`, "! is not RFC 3339", ""},
		{Field{As: "2006-01-02 15:04:05Z07:00"}, `{"t":"yesterday"}`, "! layout", ""},
	}
	for _, tt := range tests {
		tt.field.Name, tt.field.From = "created_at", "t"
		r, bad := mapped(t, Input{Role: reconcile.RoleEffect, Fields: []Field{tt.field}}, tt.doc)
		switch {
		case bad != nil:
			if want, ok := strings.CutPrefix(tt.want, "! "); !ok || !strings.Contains(bad.Reason, want) || !strings.Contains(bad.Hint, tt.hint) {
				t.Errorf("%s as %q: unreadable %q, hint %q, want %q, %q", tt.doc, tt.field.As, bad.Reason, bad.Hint, tt.want, tt.hint)
			}
		case !r.CreatedAt.Known():
			if tt.want != "-" {
				t.Errorf("%s: unknown, want %s", tt.doc, tt.want)
			}
		default:
			if got := r.CreatedAt.Time().Format("2006-01-02T15:04:05.999999999Z07:00"); got != tt.want {
				t.Errorf("%s as %q: got %s, want %s", tt.doc, tt.field.As, got, tt.want)
			}
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	minor, major := Field{Unit: "minor", Currencies: []string{"c"}}, Field{Unit: "major", Currencies: []string{"c"}}
	tests := []struct {
		field Field
		doc   string
		want  string
	}{
		{minor, `{"a":8990,"c":"eur"}`, "8990 EUR/2"},
		{minor, `{"a":"-8990","c":"EUR"}`, "-8990 EUR/2"},
		{minor, `{"a":8990.00,"c":"EUR"}`, "8990 EUR/2"},
		{minor, `{"a":89.90,"c":"EUR"}`, "! more decimals"},
		{minor, `{"a":8990,"c":null}`, "8990 /0"},
		{minor, `{"a":8990,"c":"points"}`, "8990 POINTS/0"},
		{minor, `{"a":8990,"c":"€"}`, "! is no currency code"},
		{minor, `{"a":null,"c":"EUR"}`, "-"},
		{minor, `{"a":9223372036854775807,"c":"EUR"}`, "9223372036854775807 EUR/2"},
		{minor, `{"a":9223372036854775808,"c":"EUR"}`, "! too big"},
		{minor, `{"a":-9223372036854775808,"c":"EUR"}`, "-9223372036854775808 EUR/2"},
		{major, `{"a":"19.99","c":"EUR"}`, "1999 EUR/2"},
		{major, `{"a":19.9,"c":"EUR"}`, "1990 EUR/2"},
		{major, `{"a":"19.990","c":"EUR"}`, "1999 EUR/2"},
		{major, `{"a":"19.999","c":"EUR"}`, "! more decimals"},
		{major, `{"a":"500","c":"JPY"}`, "500 JPY/0"},
		{major, `{"a":"1.234","c":"BHD"}`, "1234 BHD/3"},
		{major, `{"a":"0,25","c":"EUR"}`, "! no plain decimal"},
		{major, `{"a":"1e3","c":"EUR"}`, "! no plain decimal"},
		{major, `{"a":"+1","c":"EUR"}`, "! no plain decimal"},
		{major, `{"a":".5","c":"EUR"}`, "! no plain decimal"},
		{major, `{"a":"","c":"EUR"}`, "! is empty"},
		{major, `{"a":"1","c":"XXQ"}`, "! known decimals"},
		{major, `{"a":"1","c":null}`, "! is null"},
		{major, `{"a":"92233720368547758.08","c":"EUR"}`, "! too big"},
		{Field{Unit: "major", CurrencyIs: "EUR"}, `{"a":"1.5"}`, "150 EUR/2"},
	}
	for _, tt := range tests {
		tt.field.Name, tt.field.From = "amount", "a"
		r, bad := mapped(t, Input{Role: reconcile.RoleEffect, Fields: []Field{tt.field}}, tt.doc)
		got := "-"
		switch {
		case bad != nil:
			if want, ok := strings.CutPrefix(tt.want, "! "); !ok || !strings.Contains(bad.Reason, want) {
				t.Errorf("%s: unreadable %q, want %q", tt.doc, bad.Reason, tt.want)
			}
			continue
		case r.Amount.Valid:
			got = fmt.Sprintf("%d %s/%d", r.Amount.Minor, r.Amount.Currency, r.Amount.Exponent)
		}
		if got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.field.Unit, tt.doc, got, tt.want)
		}
	}
}

func TestStoredFloatingPointIsNoIdentity(t *testing.T) {
	t.Parallel()
	m, err := Compile(Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "k"}, {Name: "amount", From: "a", Unit: "major", CurrencyIs: "EUR"}}})
	if err != nil {
		t.Fatal(err)
	}
	realCell := func(s string) rows.Cell { return rows.Cell{Kind: rows.Real, Text: []byte(s)} }
	if _, bad := m.Map([]rows.Cell{realCell("7.0"), {Kind: rows.Null}}); bad == nil {
		t.Error("a key stored as floating point was taken")
	}
	if r, bad := m.Map([]rows.Cell{{Kind: rows.Null}, realCell("89.9")}); bad != nil || r.Amount.Minor != 8990 {
		t.Errorf("89.9: %+v, %v", r, bad)
	}
	if _, bad := m.Map([]rows.Cell{{Kind: rows.Null}, realCell("12345678901234.56")}); bad == nil {
		t.Error("more digits than a double holds were taken")
	}
	if _, bad := m.Map([]rows.Cell{{Kind: rows.Bad, Text: []byte("too long\x1b[m")}, {Kind: rows.Null}}); bad == nil || strings.Contains(bad.Reason, "\x1b") {
		t.Errorf("a bad cell: %v", bad)
	}
}

func TestProviderLines(t *testing.T) {
	t.Parallel()
	in := Input{
		Role: reconcile.RoleProvider, Where: map[string]string{"live": "true"}, Claim: map[string]string{"meta.app": "orders"},
		Fields: []Field{
			{Name: "created_at", From: "at", As: "unix-s"},
			{Name: "operation", From: "type", Words: map[string]string{"charge.succeeded": "create-order", "charge.failed": "create-order"}},
			{Name: "outcome", From: "type", Words: map[string]string{"charge.succeeded": "succeeded", "charge.failed": "failed"}},
			{Name: "object_id", From: "id"},
		},
	}
	r, bad := mapped(t, in, `{"live":true,"meta":{"app":"orders"},"type":"charge.succeeded","id":"ch_1","at":1}`)
	if bad != nil || !r.Claimed || r.NotOurs || r.Outcome != reconcile.OutcomeSucceeded || r.Component("operation").String() != "create-order" || r.ObjectID.String() != "ch_1" {
		t.Errorf("our line: %+v, %v", r, bad)
	}
	r, bad = mapped(t, in, `{"live":true,"meta":{"app":"orders"},"type":"payout.paid","at":"soon","id":{}}`)
	if bad != nil || !r.NotOurs || r.Component("operation").Known() || r.CreatedAt.Known() || r.ObjectID.Known() {
		t.Errorf("another operation's line of any shape: %+v, %v", r, bad)
	}
	r, bad = mapped(t, in, `{"live":true,"type":"charge.succeeded","at":"soon"}`)
	if bad != nil || r.Claimed {
		t.Errorf("another application's line: %+v, %v", r, bad)
	}
	if _, bad = mapped(t, in, `{"live":true,"meta":{"app":"orders"},"type":"charge.failed","at":"soon"}`); bad == nil {
		t.Error("an unreadable line of ours was taken")
	}
	if r, bad = mapped(t, in, `{"live":false,"type":"charge.succeeded","at":"soon"}`); r != nil || bad != nil {
		t.Errorf("a line that where leaves out: %+v, %v", r, bad)
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	words := map[string]string{"201": "confirmed", "timeout": "uncertain"}
	list := Input{Role: reconcile.RoleIntent, Fields: []Field{{Name: "key", From: "k"}, {Name: "attempts", From: "tries", As: "unix-s", Words: words}}}
	r, bad := mapped(t, list, `{"k":"K","tries":[{"at":1,"target":"a\n","outcome":"timeout"},{"at":2,"target":"b\n","key":"K2","outcome":201}]}`)
	if bad != nil || len(r.Attempts) != 2 || r.Attempts[0].Target.String() != "a\n" || r.Attempts[1].Target.String() != "b\n" ||
		r.Attempts[1].KeySent.String() != "K2" || r.Attempts[1].Outcome != reconcile.AttemptConfirmed || r.Attempts[0].At.UnixNano() != 1e9 {
		t.Errorf("list: %+v, %v", r, bad)
	}
	for _, doc := range []string{`{"tries":[1]}`, `{"tries":{}}`, `{"tries":[{"outcome":"what"}]}`, `{"tries":"no list"}`} {
		if _, bad := mapped(t, list, doc); bad == nil || !strings.HasPrefix(bad.Reason, "attempts: ") {
			t.Errorf("%s: %v", doc, bad)
		}
	}
	each := Input{Role: reconcile.RoleIntent, Fields: []Field{{Name: "attempts", From: "tries", Each: []Field{{Name: "attempt_at", From: "when", As: "unix-s"}, {Name: "outcome", From: "how", Words: words}}}}}
	if r, bad = mapped(t, each, `{"tries":[{"when":5,"how":"timeout"}]}`); bad != nil || len(r.Attempts) != 1 || r.Attempts[0].At.UnixNano() != 5e9 {
		t.Errorf("own members: %+v, %v", r, bad)
	}
	perRow := Input{Role: reconcile.RoleIntent, Row: "attempt", Fields: []Field{{Name: "key", From: "k"}, {Name: "created_at", From: "at", As: "unix-s"}, {Name: "outcome", From: "o", Words: words}}}
	if r, bad = mapped(t, perRow, `{"k":"K","at":3,"o":"timeout"}`); bad != nil || len(r.Attempts) != 1 || r.Attempts[0].At.UnixNano() != 3e9 || r.Attempts[0].KeySent.String() != "K" {
		t.Errorf("row: attempt: %+v, %v", r, bad)
	}
	if r, bad = mapped(t, perRow, `{"k":"K","at":3}`); bad != nil || r.Attempts[0].Outcome != reconcile.AttemptUncertain {
		t.Errorf("no answer yet: %+v, %v", r, bad)
	}
}

// A gateway's log is a provider log with a line per attempt: what got no answer stays uncertain, whatever another line says.
func TestGatewayLog(t *testing.T) {
	t.Parallel()
	in := Input{Role: reconcile.RoleProvider, Row: "attempt", Fields: []Field{
		{Name: "key", From: "k"},
		{Name: "target", From: "upstream"},
		{Name: "attempt_at", From: "at", As: "unix-s"},
		{Name: "outcome", From: "status", Words: map[string]string{"201": "succeeded", "202": "pending", "402": "failed", "504": "unknown", "null": "unknown"}},
	}}
	for doc, want := range map[string]reconcile.AttemptOutcome{
		`{"k":"K","at":3,"upstream":"eu","status":201}`:  reconcile.AttemptConfirmed,
		`{"k":"K","at":3,"upstream":"eu","status":402}`:  reconcile.AttemptFailed,
		`{"k":"K","at":3,"upstream":"eu","status":202}`:  reconcile.AttemptUncertain,
		`{"k":"K","at":3,"upstream":"eu","status":504}`:  reconcile.AttemptUncertain,
		`{"k":"K","at":3,"upstream":"eu","status":null}`: reconcile.AttemptUncertain,
	} {
		r, bad := mapped(t, in, doc)
		if bad != nil || len(r.Attempts) != 1 {
			t.Fatalf("%s: %+v, %v", doc, r, bad)
		}
		if a := r.Attempts[0]; a.Outcome != want || a.At.UnixNano() != 3e9 || a.Target.String() != "eu" || a.KeySent.String() != "K" || r.CreatedAt != a.At {
			t.Errorf("%s: %+v, created %v", doc, a, r.CreatedAt)
		}
	}
	in.Fields = append(in.Fields, Field{Name: "created_at", From: "logged", As: "unix-s"})
	if r, bad := mapped(t, in, `{"k":"K","at":3,"logged":5,"status":504}`); bad != nil || r.CreatedAt.UnixNano() != 5e9 || r.Attempts[0].At.UnixNano() != 3e9 {
		t.Errorf("a line with a time of its own: %+v, %v", r, bad)
	}
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	marks := Input{Role: reconcile.RoleOutbox, Fields: []Field{{Name: "sent_at", From: "s", As: "unix-s"}, {Name: "confirmed_at", From: "c", As: "unix-s"}, {Name: "attempts", From: "n"}}}
	for doc, want := range map[string]reconcile.Sent{`{"n":3}`: reconcile.Unsent, `{"s":1}`: reconcile.SentMarked, `{"s":1,"c":2}`: reconcile.SentConfirmed} {
		if r, bad := mapped(t, marks, doc); bad != nil || r.Sent != want {
			t.Errorf("%s: %+v, %v", doc, r, bad)
		}
	}
	worded := Input{Role: reconcile.RoleOutbox, Fields: []Field{{Name: "state", From: "s", Words: map[string]string{"new": "unsent", "ok": "sent"}}}}
	if r, bad := mapped(t, worded, `{"s":"ok"}`); bad != nil || r.Sent != reconcile.SentMarked {
		t.Errorf("words: %+v, %v", r, bad)
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   Input
		want string
		hint string
	}{
		{"misspelt fact", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "creatd_at", From: "t"}}}, "is no fact", "created_at"},
		{"twice", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "a"}, {Name: "key", From: "b"}}}, "mapped twice", ""},
		{"two origins", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "a", Const: ptr("b")}}}, "exactly one place", ""},
		{"path", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "a..b"}}}, "not a column path", ""},
		{"role", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "state", From: "a"}}}, "no fact of effects", "status"},
		{"word", Input{Role: reconcile.RoleReceipt, Fields: []Field{{Name: "state", From: "a", Words: map[string]string{"x": "done"}}}}, "done", "completed"},
		{"zone abbreviation", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "created_at", From: "a", As: "2006-01-02 15:04:05 MST"}}}, "abbreviations", ""},
		{"open zone", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "created_at", From: "a", As: "2006-01-02 15:04:05"}}}, "leaves the zone open", "UTC"},
		{"no layout", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "created_at", From: "a", As: "iso"}}}, "says no date", ""},
		{"no such zone", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "created_at", From: "a", As: "2006-01-02 15:04", Zone: "PDT"}}}, "not a time zone", ""},
		{"no unit", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "amount", From: "a"}}}, "no unit", ""},
		{"no currency", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "amount", From: "a", Unit: "major"}}}, "needs its currency", ""},
		{"hash", Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "a", Hash: "crc"}}}, "not a hash", ""},
		{"row", Input{Role: reconcile.RoleEffect, Row: "attempt"}, "belongs to intents", ""},
	}
	for _, tt := range tests {
		tt.in.Line = 3
		for i := range tt.in.Fields {
			tt.in.Fields[i].Line = 7
		}
		_, err := Compile(tt.in)
		var bad *Error
		if !errors.As(err, &bad) || bad.Line == 0 || !strings.Contains(bad.Msg, tt.want) || !strings.Contains(bad.Hint, tt.hint) {
			t.Errorf("%s: got %v, want %q with a place and hint %q", tt.name, err, tt.want, tt.hint)
		}
	}
}

func TestContractNamesMakeComponentsAndExtras(t *testing.T) {
	t.Parallel()
	in := Input{Role: reconcile.RoleEffect, Components: []string{"shop"}, Extra: []string{"customer_id"}, Fields: []Field{{Name: "shop", From: "s"}, {Name: "customer_id", From: "c"}, {Name: "actor", From: "c"}}}
	r, bad := mapped(t, in, `{"s":"S","c":5}`)
	if bad != nil || r.Component("shop").String() != "S" || r.Field("customer_id").String() != "5" || r.Field("actor").String() != "5" || r.Status != reconcile.StatusEffective {
		t.Errorf("%+v, %v", r, bad)
	}
}
