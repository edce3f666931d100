package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// conflicts is a shop whose keys were used for two requests each: one tells its parameters, one its fingerprints alone.
var conflicts = map[string]string{
	"idemctl.yaml": `version: 1
name: shop
now: 2026-11-29T06:00:00Z
contracts:
  - {operation: order, scope: [tenant, operation, key], effect: local, atomic: true, retention: 72h, retry_window: 24h, fingerprint: {algorithm: sha256, over: body, version: 1}, params: {from: body}}
sources:
  - {name: receipts, role: receipts, open: "jsonl:receipts.jsonl", coverage: {from: 2026-01-01T00:00:00Z, to: 2026-11-29T06:00:00Z}, map: {tenant: t, operation: {value: order}, key: k, effect_id: e, params: p, fingerprint: f, created_at: at}}
  - {name: orders, role: effects, open: "jsonl:orders.jsonl", coverage: {from: 2026-01-01T00:00:00Z, to: 2026-11-29T06:00:00Z}, map: {tenant: t, operation: {value: order}, key: k, effect_id: e, created_at: at}}
  - {name: clients, role: intents, open: "jsonl:clients.jsonl", map: {tenant: t, operation: {value: order}, key: k, params: p, fingerprint: f, attempt_at: at, created_at: at, outcome: o}, row: attempt}
`,
	"clients.jsonl": `{"t":"north","k":"changed","p":"{\"qty\":1}","at":"2026-11-29T02:00:00Z","o":"confirmed"}
{"t":"north","k":"opaque","f":"aa","at":"2026-11-29T02:02:00Z","o":"confirmed"}
`,
	"receipts.jsonl": `{"t":"north","k":"changed","e":"1","p":"{\"qty\":777}","at":"2026-11-29T02:00:01Z"}
{"t":"north","k":"opaque","e":"3","f":"bb","at":"2026-11-29T02:02:01Z"}
`,
	"orders.jsonl": `{"t":"north","k":"changed","e":"1","at":"2026-11-29T02:00:01Z"}
{"t":"north","k":"opaque","e":"3","at":"2026-11-29T02:02:01Z"}
`,
}

// scanned is what a scan finds in files, the config among them.
func scanned(t *testing.T, files map[string]string) *memory {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(dir, config.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return scanOf(t, cfg)
}

// Where the judgement says that requests differ, the records that it names are marked in what counts, and point to Why; a spelling is no difference.
func TestRequestsThatDiffer(t *testing.T) {
	t.Parallel()
	res := scanned(t, conflicts)
	res.cases = append(res.cases, spelled(res.cases))
	for _, tt := range []struct {
		key    string
		marked []string
		plain  []string
	}{
		{"changed", []string{"params"}, nil},
		{"opaque", []string{"fingerprint"}, nil},
		{"spelled", []string{"fingerprint"}, []string{"params"}},
	} {
		at := slices.IndexFunc(res.cases, func(c *scan.Case) bool {
			return slices.ContainsFunc(c.Identity, func(one reconcile.Component) bool { return one.Value.String() == tt.key })
		})
		if at < 0 {
			t.Fatalf("%s is no case", tt.key)
		}
		one := *res
		one.cases = res.cases[at : at+1]
		d := &desk{res: &one}
		for _, press := range [][]string{{"enter", "z"}, {"enter", "z", "x"}} {
			c := start(t, d.deps(), 120, 36).press(press...).wait(time.Second)
			c.shows("≠ differs", "≠ requests: see Why").hides("no value differs")
			for _, name := range append(slices.Clone(tt.marked), tt.plain...) {
				line := lineOf(c.screen(), name)
				want := slices.Contains(tt.marked, name)
				if got := strings.Contains(line, "≠"); got != want && (line != "" || want) {
					t.Errorf("%s, %v: %s marked %v, want %v:\n%s", tt.key, press, name, got, want, c.screen())
				}
			}
		}
	}
}

// spelled is the case of fingerprints that differ, with parameters that differ in spelling alone.
func spelled(cases []*scan.Case) *scan.Case {
	at := slices.IndexFunc(cases, func(c *scan.Case) bool { return c.Differences[0].By == reconcile.ByFingerprint })
	c := *cases[at]
	c.CaseID, c.Identity = "spelled", []reconcile.Component{{Name: "key", Value: reconcile.Text("spelled")}}
	c.Differences = slices.Clone(c.Differences)
	c.Differences[0].Params = reconcile.ParamsEqual
	c.Evidence = slices.Clone(c.Evidence)
	for i, params := range []string{`{"a":1,"b":2}`, `{"b":2,"a":1}`} {
		c.Evidence[i].Facts = append(slices.Clone(c.Evidence[i].Facts), reconcile.Fact{Name: "params", Value: reconcile.Text(params)})
	}
	return &c
}

// lineOf is the first line that begins with a name.
func lineOf(screen, name string) string {
	for _, l := range strings.Split(screen, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), name) {
			return l
		}
	}
	return ""
}

// TestOthersAreNamed says of a twin that is no case whose it is and when it began: in the pane that lists it, and where the guard refuses because of it.
func TestOthersAreNamed(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c, _ := training(t, "bought-twice", size[0], size[1])
		c.press("/").typeText("sh-15").press("enter", "enter", "z")
		for range 6 {
			if c.press("tab"); strings.Contains(c.screen(), "▌Why") {
				break
			}
		}
		c.press("end").shows("key sh-14, begun 2026-11-29T01:31:44Z")
		c.press("d").wait(time.Second)
		c.press("tab", " ").shows("The other:", "key sh-14")
	}
}
