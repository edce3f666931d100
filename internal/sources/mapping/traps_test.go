package mapping

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// line maps one provider's record with these fields.
func line(fields ...Field) Input {
	return Input{Source: "log", Role: reconcile.RoleProvider, Fields: fields}
}

// want fails unless a row was read with this result, or refused for a reason that holds refused.
func want(t *testing.T, what string, got string, bad *Unreadable, expected string) {
	t.Helper()
	refused, isRefused := strings.CutPrefix(expected, "! ")
	switch {
	case isRefused && (bad == nil || !strings.Contains(bad.Error(), refused)):
		t.Errorf("%s: got %q, %v; want a refusal: %s", what, got, bad, refused)
	case !isRefused && (bad != nil || got != expected):
		t.Errorf("%s: got %q, %v; want %q", what, got, bad, expected)
	}
}

// TestTrapLayouts: what Go's RFC 3339 refuses is read by an ordered list of layouts, and which of them read how many is told.
func TestTrapLayouts(t *testing.T) {
	t.Parallel()
	in := line(Field{Name: "created_at", From: "t", As: "rfc3339", Or: []string{"2006-01-02T15:04:05Z0700", "Mon, 02 Jan 2006 15:04:05 -0700", "2006-01-02 15:04:05", "unix-s"}, Zone: "UTC"})
	m, err := Compile(in)
	if err != nil {
		t.Fatal(err)
	}
	for doc, expected := range map[string]string{
		`{"t":"2019-06-04T01:27:43+0000"}`:        "2019-06-04T01:27:43Z",
		`{"t":"2019-06-04T01:27:43+00:00"}`:       "2019-06-04T01:27:43Z",
		`{"t":"Fri, 24 May 2019 17:44:46 +0000"}`: "2019-05-24T17:44:46Z",
		`{"t":"2024-12-16 18:41:07.000000000"}`:   "2024-12-16T18:41:07Z",
		`{"t":"2017-01-19T16:42:03+01:00"}`:       "2017-01-19T15:42:03Z",
		`{"t":1562801159}`:                        "2019-07-10T23:25:59Z",
		`{"t":"1562801159"}`:                      "2019-07-10T23:25:59Z",
		`{"t":"May 24"}`:                          "! none of the spellings",
	} {
		r, bad := m.Map(cellsOf(t, m, doc))
		got := ""
		if bad == nil {
			got = r.CreatedAt.Time().Format(time.RFC3339Nano)
		}
		want(t, doc, got, bad, expected)
	}
	const counts = "created_at: 2 as rfc3339, 1 as 2006-01-02T15:04:05Z0700, 1 as Mon, 02 Jan 2006 15:04:05 -0700, 1 as 2006-01-02 15:04:05, 2 as unix-s"
	if got := strings.Join(m.Spellings(), "; "); got != counts {
		t.Errorf("spellings: %s", got)
	}
}

// TestTrapHourThatComesTwice: Go takes one of two instants, silently. Here a beginning is the earlier one, an end the later one, the row says by how much it may be
// wrong, and how many such rows there are is told. A layout with an offset, an abbreviation that says which hour it is, and UTC leave no doubt.
func TestTrapHourThatComesTwice(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04:05"
	for _, tt := range []struct{ zone, shown, began, ended, blur, told string }{
		{"Europe/Zurich", "2026-10-25 01:59:59", "2026-10-24T23:59:59Z", "2026-10-24T23:59:59Z", "0s", ""},
		{"Europe/Zurich", "2026-10-25 02:00:00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "1h0m0s", "twice"},
		{"Europe/Zurich", "2026-10-25 02:59:59", "2026-10-25T00:59:59Z", "2026-10-25T01:59:59Z", "1h0m0s", "twice"},
		{"Europe/Zurich", "2026-10-25 03:00:00", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z", "0s", ""},
		{"Europe/Zurich", "2026-03-29 01:59:59", "2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z", "0s", ""},
		{"Europe/Zurich", "2026-03-29 02:10:00", "2026-03-29T00:10:00Z", "2026-03-29T01:10:00Z", "1h0m0s", "never"},
		{"Europe/Zurich", "2026-03-29 03:00:00", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", "0s", ""},
		{"America/New_York", "2026-11-01 01:10:00", "2026-11-01T05:10:00Z", "2026-11-01T06:10:00Z", "1h0m0s", "twice"},
		{"America/New_York", "2026-03-08 02:30:00", "2026-03-08T06:30:00Z", "2026-03-08T07:30:00Z", "1h0m0s", "never"},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "30m0s", "twice"},
		{"Asia/Kolkata", "2026-10-25 02:10:00", "2026-10-24T20:40:00Z", "2026-10-24T20:40:00Z", "0s", ""},
		{"UTC", "2026-10-25 02:10:00", "2026-10-25T02:10:00Z", "2026-10-25T02:10:00Z", "0s", ""},
	} {
		for _, as := range []string{layout, ""} { // by a layout, and as databases write it
			in := line(Field{Name: "created_at", From: "t", As: as, Zone: tt.zone}, Field{Name: "completed_at", From: "t", As: as, Zone: tt.zone})
			m, err := Compile(in)
			if err != nil {
				t.Fatal(err)
			}
			r, bad := m.Map(cellsOf(t, m, `{"t":"`+tt.shown+`"}`))
			if bad != nil {
				t.Fatalf("%s %s: %v", tt.zone, tt.shown, bad)
			}
			got := []string{r.CreatedAt.Time().Format(time.RFC3339), r.CompletedAt.Time().Format(time.RFC3339), r.Blur.String()}
			if want := []string{tt.began, tt.ended, tt.blur}; !slices.Equal(got, want) {
				t.Errorf("%s %s: %q, want %q", tt.zone, tt.shown, got, want)
			}
			told := strings.Join(m.Blurred(), "; ")
			if (told != "") != (tt.told != "") || !strings.Contains(told, "created_at: 1 row tells a time that clocks of the zone") && tt.told != "" || !strings.Contains(told, tt.told) {
				t.Errorf("%s %s: told %q", tt.zone, tt.shown, told)
			}
			if r, _ := m.Map(cellsOf(t, m, `{"t":"2026-07-01 12:00:00"}`)); r == nil || r.Blur != 0 {
				t.Errorf("%s: the next row is unsure too", tt.zone)
			}
		}
	}
	for _, f := range []Field{
		{Name: "created_at", From: "t", As: layout, ZoneFrom: "z"},
		{Name: "created_at", From: "o", As: layout + "Z07:00"},
		{Name: "created_at", From: "o", Zone: "Europe/Zurich"},
	} {
		m, err := Compile(line(f))
		if err != nil {
			t.Fatal(err)
		}
		if r, bad := m.Map(cellsOf(t, m, `{"t":"2026-10-25 02:10:00","z":"CEST","o":"2026-10-25 02:10:00+02:00"}`)); bad != nil || r.Blur != 0 || r.CreatedAt.Time().Format(time.RFC3339) != "2026-10-25T00:10:00Z" {
			t.Errorf("%+v: %+v, %v", f, r, bad)
		}
	}
	listed := Input{Role: reconcile.RoleIntent, Fields: []Field{{Name: "attempts", From: "tries", As: layout, Zone: "Europe/Zurich"}}}
	m, err := Compile(listed)
	if err != nil {
		t.Fatal(err)
	}
	if r, bad := m.Map(cellsOf(t, m, `{"tries":[{"at":"2026-10-25 02:10:00"},{"at":"2026-10-25 09:10:00"}]}`)); bad != nil || r.Blur != time.Hour || len(m.Blurred()) != 1 {
		t.Errorf("attempts: %+v, %v, %q", r, bad, m.Blurred())
	}
}

// TestTrapZoneAbbreviation: Go reads an abbreviation that the machine does not know as UTC, silently. Here it comes from a table, or the row is refused.
func TestTrapZoneAbbreviation(t *testing.T) {
	t.Parallel()
	in := line(Field{
		Name: "created_at", Parts: []Part{{Column: "d"}, {Column: "h"}}, Join: " ", As: "01/02/2006 15:04:05",
		ZoneFrom: "z", ZoneWords: map[string]string{"IST": "Asia/Kolkata"},
	})
	for _, tt := range []struct{ date, hour, zone, want string }{
		{"10/01/2019", "03:46:20", `"PDT"`, "2019-10-01T10:46:20Z"},
		{"01/10/2019", "03:46:20", `"PST"`, "2019-01-10T11:46:20Z"},
		{"06/01/2026", "09:15:02", `"Europe/Zurich"`, "2026-06-01T07:15:02Z"},
		{"06/01/2026", "20:15:28.663", `"HKT"`, "2026-06-01T12:15:28.663Z"},
		{"06/01/2026", "09:15:02", `"CEST"`, "2026-06-01T07:15:02Z"},
		{"06/01/2026", "09:15:02", `"CET"`, "! no time at which clocks show CET"},
		{"06/01/2026", "09:15:02", `"GMT+8"`, "2026-06-01T01:15:02Z"},
		{"06/01/2026", "09:15:02", `"-03:30"`, "2026-06-01T12:45:02Z"},
		{"06/01/2026", "09:15:02", `"UTC"`, "2026-06-01T09:15:02Z"},
		{"06/01/2026", "09:15:02", `"IST"`, "2026-06-01T03:45:02Z"},
		{"06/01/2026", "09:15:02", `"CST"`, "! no zone that is known"},
		{"06/01/2026", "09:15:02", `"XYZ"`, "! no zone that is known"},
		{"06/01/2026", "09:15:02", `"Local"`, "! no zone that is known"},
		{"06/01/2026", "09:15:02", `null`, "! the time does not give its zone"},
	} {
		r, bad := mapped(t, in, `{"d":"`+tt.date+`","h":"`+tt.hour+`","z":`+tt.zone+`}`)
		got := ""
		if bad == nil {
			got = r.CreatedAt.Time().Format(time.RFC3339Nano)
		}
		want(t, tt.zone, got, bad, tt.want)
	}
	for name, a := range abbreviations {
		place, err := time.LoadLocation(a.place)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for month := time.January; month <= time.December; month++ {
			_, there := time.Date(2026, month, 1, 12, 0, 0, 0, place).Zone()
			found = found || there == a.seconds()
		}
		if !found {
			t.Errorf("%s: clocks of %s never have that offset", name, a.place)
		}
	}
}

// TestTrapMoney: amounts are exact in all the shapes that exports have, by the minor units of the provider that counts them.
func TestTrapMoney(t *testing.T) {
	t.Parallel()
	one := func(f Field) Input {
		f.Name = "amount"
		if f.From == "" && f.Credit == "" {
			f.From = "a"
		}
		f.Currencies = []string{"c"}
		return line(f)
	}
	major, minor := Field{Unit: "major"}, Field{Unit: "minor"}
	debit := Field{Unit: "major", Credit: "in", Debit: "out"}
	for _, tt := range []struct {
		field Field
		doc   string
		want  string
	}{
		{major, `{"a":"19.99","c":"EUR"}`, "1999e-2 EUR"},
		{major, `{"a":"0.29","c":"usd"}`, "29e-2 USD"},
		{major, `{"a":"-78.00","c":"USD"}`, "-7800e-2 USD"},
		{major, `{"a":"0.5000","c":"EUR"}`, "50e-2 EUR"},
		{major, `{"a":"0.6050","c":"EUR"}`, "! more decimals"},
		{major, `{"a":"1.5","c":"KWD"}`, "1500e-3 KWD"},
		{major, `{"a":"500","c":"JPY"}`, "500e-0 JPY"},
		{major, `{"a":"500.5","c":"JPY"}`, "! more decimals"},
		{major, `{"a":"0,25","c":"EUR"}`, "! no plain decimal"},
		{Field{Unit: "major", Point: ","}, `{"a":"0,25","c":"EUR"}`, "25e-2 EUR"},
		{Field{Unit: "major", Point: ","}, `{"a":"1.234,56","c":"EUR"}`, "! no plain decimal"},
		{Field{Unit: "major", Point: ",", Thousands: "."}, `{"a":"1.234,56","c":"EUR"}`, "123456e-2 EUR"},
		{Field{Unit: "major", Thousands: ","}, `{"a":"-1,234,567.80","c":"USD"}`, "-123456780e-2 USD"},
		{Field{Unit: "major", Thousands: ","}, `{"a":"0,25","c":"USD"}`, "! no plain decimal"},
		{Field{Unit: "major", Thousands: ","}, `{"a":"12,34.5","c":"USD"}`, "! no plain decimal"},
		{Field{Unit: "written"}, `{"a":"-0.00750","c":"USD"}`, "-750e-5 USD"},
		{Field{Unit: "written"}, `{"a":null,"c":"USD"}`, ""},
		{minor, `{"a":9007199254740993,"c":"usd"}`, "9007199254740993e-2 USD"},
		{minor, `{"a":"9007199254740993","c":"usd"}`, "9007199254740993e-2 USD"},
		{minor, `{"a":9223372036854775808,"c":"usd"}`, "! too big"},
		{minor, `{"a":1e3,"c":"usd"}`, "! no plain decimal"},
		{minor, `{"a":500,"c":null}`, "500e-0 "},
		{minor, `{"a":500,"c":"mga"}`, "500e-2 MGA"},
		{Field{Unit: "minor", Decimals: "stripe"}, `{"a":500,"c":"mga"}`, "500e-0 MGA"},
		{Field{Unit: "minor", Decimals: "stripe"}, `{"a":500,"c":"ugx"}`, ""},
		{Field{Unit: "major", Decimals: "stripe"}, `{"a":"500","c":"ugx"}`, "! no currency with known decimals"},
		{Field{Unit: "minor", Decimals: "adyen"}, `{"a":500,"c":"CLP"}`, "500e-2 CLP"},
		{debit, `{"in":"10.00","out":null,"c":"EUR"}`, "1000e-2 EUR"},
		{debit, `{"in":null,"out":"10.00","c":"EUR"}`, "-1000e-2 EUR"},
		{debit, `{"in":"0.00","out":"10.00","c":"EUR"}`, "-1000e-2 EUR"},
		{debit, `{"in":null,"out":null,"c":"EUR"}`, ""},
		{debit, `{"in":"1.00","out":"10.00","c":"EUR"}`, "! beside a credit"},
		{debit, `{"in":null,"out":"-10.00","c":"EUR"}`, "! beside a credit"},
	} {
		r, bad := mapped(t, one(tt.field), tt.doc)
		got := ""
		if bad == nil && r.Amount.Valid {
			got = spelled(r.Amount)
		}
		want(t, tt.doc, got, bad, tt.want)
	}
}

func spelled(a reconcile.Amount) string {
	return fmt.Sprintf("%de-%d %s", a.Minor, a.Exponent, a.Currency)
}

// TestTrapNamesInAnotherCase: members are found by their exact names, so that {"id", "ID"} are two.
func TestTrapNamesInAnotherCase(t *testing.T) {
	t.Parallel()
	r, bad := mapped(t, line(Field{Name: "object_id", From: "id"}), `{"id":"a","ID":"b","Id":"c"}`)
	if bad != nil || r.ObjectID.String() != "a" {
		t.Errorf("got %v, %v", r, bad)
	}
}

// TestTrapTestRows: rows of test mode, however a provider spells it, are left out under their reason, and neither lost nor counted as records.
func TestTrapTestRows(t *testing.T) {
	t.Parallel()
	in := line(Field{Name: "object_id", From: "id"})
	in.Exclude = []Exclusion{{Reason: "test-mode", When: []Condition{{Path: "mode", Want: []string{"false", "~(?i)test|sandbox"}}}}, {Reason: "no-mode", When: []Condition{{Path: "mode", Want: []string{"null"}}, {Path: "id", Want: []string{"~x.*"}}}}}
	m, err := Compile(in)
	if err != nil {
		t.Fatal(err)
	}
	for doc, expected := range map[string]string{
		`{"id":"a","mode":false}`: "test-mode", `{"id":"a","mode":"false"}`: "test-mode", `{"id":"a","mode":"Test"}`: "test-mode", `{"id":"a","mode":"contest"}`: "",
		`{"id":"a","mode":true}`: "", `{"id":"a"}`: "", `{"id":"xy"}`: "no-mode", `{"id":"xy","mode":null}`: "no-mode",
	} {
		r, bad := m.Map(cellsOf(t, m, doc))
		if bad != nil || m.LeftOut() != expected || (r == nil) != (expected != "") {
			t.Errorf("%s: left out as %q, %v", doc, m.LeftOut(), bad)
		}
	}
}

// TestTrapRedactedToken: a key that the log hides is not observable, and is not the text that stands in its place.
func TestTrapRedactedToken(t *testing.T) {
	t.Parallel()
	in := line(Field{Name: "key", First: []Field{{From: "request.clientToken"}, {From: "request[*].ClientToken"}, {From: "request.clientRequestToken"}}, Absent: []string{"HIDDEN_DUE_TO_SECURITY_REASONS", "..."}})
	for _, tt := range []struct{ doc, key, from string }{
		{`{"request":{"clientToken":"k1"}}`, "k1", "request.clientToken"},
		{`{"request":{"CreateNatGatewayRequest":{"ClientToken":"k2"},"n":7}}`, "k2", "request[*].ClientToken"},
		{`{"request":{"clientRequestToken":"k3"}}`, "k3", "request.clientRequestToken"},
		{`{"request":{"clientToken":"HIDDEN_DUE_TO_SECURITY_REASONS"}}`, "", ""},
		{`{"request":{"clientToken":"..."}}`, "", ""},
		{`{"request":null}`, "", ""},
	} {
		r, bad := mapped(t, in, tt.doc)
		if bad != nil || r.Key().String() != tt.key || r.KeyFrom != tt.from || r.Key().Known() != (tt.key != "") {
			t.Errorf("%s: key %q from %q, %v", tt.doc, r.Key(), r.KeyFrom, bad)
		}
	}
	if _, bad := mapped(t, in, `{"request":{"A":{"ClientToken":"k1"},"B":{"ClientToken":"k2"}}}`); bad == nil {
		t.Error("two tokens in one call are read as one")
	}
}

// TestSelectors: what stands in lists and packed texts is found, and what is none of them is refused or missing.
func TestSelectors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, doc, want string }{
		{"a[0].b", `{"a":[{"b":"x"},{"b":"y"}]}`, "x"},
		{"a[1].b", `{"a":[{"b":"x"},{"b":"y"}]}`, "y"},
		{"a[2].b", `{"a":[{"b":"x"},{"b":"y"}]}`, "-"},
		{"a[].b", `{"a":[{"b":"y"},{"b":"x"},{"b":"y"},{"c":1}]}`, "x,y"},
		{"a[].b", `{"a":[]}`, "-"},
		{"a[].b", `{"a":null}`, "-"},
		{"a[].b", `{"a":7}`, "-"},
		{"a[].b", `{"a":"no list"}`, "! no list"},
		{`a[key=http.route].value.stringValue`, `{"a":[{"key":"x","value":{"stringValue":"1"}},{"key":"http.route","value":{"stringValue":"/v1"}}]}`, "/v1"},
		{`a[key=k].v[0]`, `{"a":[{"key":"k","v":["p","q"]}]}`, "p"},
		{`a[key=k].v`, `{"a":[{"key":"k","v":1},{"key":"k","v":2}]}`, "! 2 different values"},
		{`a[*].b`, `{"a":{"m":{"b":"x"},"n":{"b":"x"}}}`, "x"},
		{"v[base64].id", `{"v":"eyJpZCI6ImFiYyJ9"}`, "abc"},
		{"v[base64]", `{"v":"not base64!"}`, "! not base64"},
		{"p[json].q", `{"p":"{\"q\":\"deep\"}"}`, "deep"},
		{"p[json].q", `{"p":"{broken"}`, "! not JSON"},
		{"h[].id[bytes]", `{"h":[{"other":[1]},{"id":[104,105,-61,-87]}]}`, "hié"},
		{"h[].id[bytes]", `{"h":[{"id":[104,300]}]}`, "! no byte"},
		{"n[0]", `{"n":[9007199254740993]}`, "9007199254740993"},
		{`"a[0]"`, `{"a[0]":"quoted"}`, "quoted"},
	} {
		r, bad := mapped(t, line(Field{Name: "object_id", From: tt.path}), tt.doc)
		got := "-"
		if bad == nil && r.ObjectID.Known() {
			got = r.ObjectID.String()
		}
		want(t, tt.path+" of "+tt.doc, got, bad, tt.want)
	}
	for _, path := range []string{"a[", "a]", "a[x]", "a[0]b", "a[-1]", "[0]", "a[0].", "a[=x]", "a[.=x]", "a..b"} {
		if err := CheckPath(path); err == nil && path != "a]" {
			t.Errorf("%s is taken for a path", path)
		}
	}
}

// TestAlternatives: the first alternative that has a value is taken, with its own words and conditions.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	in := line(Field{Name: "outcome", First: []Field{
		{Const: ptr("reversed"), When: []Condition{{Path: "refunded", Want: []string{"true"}}}},
		{From: "status", Words: map[string]string{"ok": "succeeded", "~fail.*": "failed", "~fail(ing|ure)": "pending", "*": "unknown"}},
	}})
	for doc, expected := range map[string]string{
		`{"status":"ok","refunded":true}`:  "reversed",
		`{"status":"ok","refunded":false}`: "succeeded",
		`{"status":"failed"}`:              "failed",
		`{"status":"failing"}`:             "pending",
		`{"status":"other"}`:               "unknown",
		`{}`:                               "unknown",
	} {
		r, bad := mapped(t, in, doc)
		if bad != nil || r.Outcome.String() != expected {
			t.Errorf("%s: %v, %v; want %s", doc, r.Outcome, bad, expected)
		}
	}
	for name, f := range map[string]Field{
		"a constant before others":       {Name: "key", First: []Field{{Const: ptr("x")}, {From: "a"}}},
		"a pattern that is none":         {Name: "key", From: "a", Words: map[string]string{"~(": "x"}},
		"alternatives that say more":     {Name: "created_at", First: []Field{{From: "a", As: "unix-s"}}},
		"credit without debit":           {Name: "amount", Credit: "a", Unit: "minor"},
		"a table of nobody":              {Name: "amount", From: "a", Unit: "minor", Decimals: "nobody"},
		"two zones":                      {Name: "created_at", From: "a", As: "2006-01-02", Zone: "UTC", ZoneFrom: "z"},
		"a zone word that is no zone":    {Name: "created_at", From: "a", As: "2006-01-02", ZoneFrom: "z", ZoneWords: map[string]string{"X": "PDX"}},
		"a layout that leaves zone open": {Name: "created_at", From: "a", As: "rfc3339", Or: []string{"2006-01-02"}},
	} {
		if _, err := Compile(line(f)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
