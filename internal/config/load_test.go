package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text/hostile"
)

const small = "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]}\nsources: {name: receipts, role: receipts, open: 'jsonl:a.jsonl', map: {key: id}}\n"

func TestLoadFindsTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, FileName), small)
	for _, arg := range []string{dir, dir + "/", filepath.Join(dir, FileName)} {
		cfg, err := Load(arg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Place.Dir != dir || cfg.Place.FS != nil || cfg.Path != filepath.Join(dir, FileName) || cfg.Fixture || cfg.Scenario != nil {
			t.Errorf("Load(%q): %+v", arg, cfg)
		}
	}
	write(t, filepath.Join(dir, "scenario.yaml"), "title: x\n")
	cfg, err := Load(dir, Options{})
	if err != nil || !cfg.Fixture || string(cfg.Scenario) != "title: x\n" {
		t.Errorf("beside a scenario: %+v, %v", cfg, err)
	}
}

// TestLogsAreHeeded: what a provider's log may show of an action is looked at unless the contract declares that it is no effect, and as late as its profile says.
func TestLogsAreHeeded(t *testing.T) {
	t.Parallel()
	const (
		log    = "\n  - {name: log, role: provider, open: 'jsonl:l.jsonl', map: {key: k, object_id: o, outcome: s%s}}"
		orders = "\n  - {name: orders, role: effects, open: 'jsonl:o.jsonl', map: {key: k, effect_id: i}}"
	)
	for name, tc := range map[string]struct {
		contract, sources string
		effect            reconcile.Legs
		lag               time.Duration
	}{
		"rows alone":                    {"", orders, reconcile.LegsLocal, 0},
		"a log alone":                   {"", fmt.Sprintf(log, ""), reconcile.LegsExternal, 0},
		"rows and a log":                {"", orders + fmt.Sprintf(log, ""), reconcile.LegsBoth, 0},
		"a log of another operation":    {"", orders + fmt.Sprintf(log, ", operation: {value: refund}"), reconcile.LegsLocal, 0},
		"a log of other words":          {"", orders + fmt.Sprintf(log, ", operation: {from: t, words: {x: refund}}"), reconcile.LegsLocal, 0},
		"a log of its words":            {"", orders + fmt.Sprintf(log, ", operation: {from: t, words: {x: refund, y: pay}}"), reconcile.LegsBoth, 0},
		"declared to be no effect":      {", effect: local", orders + fmt.Sprintf(log, ""), reconcile.LegsLocal, 0},
		"a provider":                    {", provider: stripe-v1", fmt.Sprintf(log, ""), reconcile.LegsBoth, 15 * time.Minute},
		"a provider that shows at once": {", provider: {dedup: false, lag: 0s}", fmt.Sprintf(log, ""), reconcile.LegsBoth, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, FileName), "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]"+tc.contract+"}\nsources:"+tc.sources+"\n")
			cfg, err := Load(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c, s := cfg.Contracts[0], cfg.Sources[len(cfg.Sources)-1]; c.Effect != tc.effect || s.Lag != tc.lag {
				t.Errorf("effect %v, want %v; lag %s, want %s", c.Effect, tc.effect, s.Lag, tc.lag)
			}
		})
	}
}

func TestLoadHereByDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Load("", Options{})
	wantError(t, err, "idemctl.yaml: no such file", "name a config file, a folder that holds idemctl.yaml")
	write(t, FileName, small)
	if cfg, err := Load("", Options{}); err != nil || cfg.Path != FileName || cfg.Place.Dir != "." {
		t.Errorf("%+v, %v", cfg, err)
	}
}

func TestLoadFixture(t *testing.T) {
	t.Parallel()
	fixtures := fstest.MapFS{
		"payments-restore/idemctl.yaml":  {Data: []byte(small)},
		"payments-restore/scenario.yaml": {Data: []byte("title: x\n")},
		"clean/idemctl.yaml":             {Data: []byte("version: 1\nname: t\nnamme: u\n")},
		"docs/README.md":                 {Data: []byte("x")},
	}
	cfg, err := Load("@payments-restore", Options{Fixtures: fixtures})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Path != "@payments-restore" || !cfg.Fixture || cfg.Place.Dir != "." {
		t.Errorf("%+v", cfg)
	}
	if f, err := cfg.Place.FS.Open(FileName); err != nil {
		t.Error(err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, err = Load("@clean", Options{Fixtures: fixtures})
	wantError(t, err, `@clean:3:1: unknown field "namme"`, `did you mean "name"?`)
	_, err = Load("@payment-restore", Options{Fixtures: fixtures})
	wantError(t, err, "@payment-restore: no such fixture", `did you mean "payments-restore"?; there are: @clean, @payments-restore`)
	_, err = Load("@../x", Options{Fixtures: fixtures})
	wantError(t, err, "@../x: no such fixture", "there are: @clean")
	_, err = Load("@x", Options{})
	wantError(t, err, "@x: no such fixture", "embeds none")
}

func TestLoadRefusesWhatIsNoConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want, hint string }{
		{"a database", "SQLite format 3\x00\x10", ": a SQLite database, not a config", "open: sqlite:PATH"},
		{"gzip", "\x1f\x8b\x08", ": gzip data", "unpack"},
		{"UTF-16", "\xff\xfev\x00", ": UTF-16, not UTF-8", "UTF-8"},
		{"big-endian UTF-16", "\xfe\xff\x00v", ": UTF-16, not UTF-8", "UTF-8"},
		{"not UTF-8", "version: 1\nname: a\xffb\n", ":2:8: byte 0xff is not UTF-8", "UTF-8"},
		{"NUL", "version: 1\x00\n", ":1:11: control character U+0000", "plain text"},
		{"C1", "version: 1\n# \u009b2J\n", ":2:3: control character U+009B", "plain text"},
		{"too large", strings.Repeat("#", maxFile+1), ": larger than 1048576 bytes", "config file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			write(t, file, tt.data)
			_, err := Load(file, Options{})
			wantError(t, err, file+tt.want, tt.hint)
		})
	}
	_, err := Load("/dev/null", Options{})
	wantError(t, err, "/dev/null: not a regular file", "config file")
}

func TestLoadReadsWhatEditorsWrite(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"a byte order mark": "\ufeff" + small,
		"CRLF":              strings.ReplaceAll(small, "\n", "\r\n"),
		"no last line feed": strings.TrimSuffix(small, "\n"),
		"comments":          "# head\n---\n" + strings.ReplaceAll(small, "\n", " # c\n"),
	} {
		if _, err := parse("c.yaml", []byte(data), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := parse("c.yaml", []byte("version: 1\r\nname: t\r\nnamme: u\r\n"), nil)
	wantError(t, err, `c.yaml:3:1: unknown field "namme"`, "name")
}

func TestFileNamesAreMadeSafe(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Corpus() {
		if strings.ContainsAny(string(h.Bytes), "/\x00") {
			continue
		}
		_, err := Load(filepath.Join("no-such-folder", "x"+string(h.Bytes)), Options{})
		if err == nil {
			t.Fatalf("%s: found", h.Name)
		}
		if err := hostile.Check([]byte(err.Error())); err != nil {
			t.Errorf("%s: %v", h.Name, err)
		}
	}
}

func write(t *testing.T, file, data string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, msg, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("error %v, want %q", err, msg)
		return
	}
	if !strings.HasPrefix(e.Error(), msg) || !strings.Contains(e.Hint, hint) {
		t.Errorf("error %q, hint %q; want %q, hint with %q", e, e.Hint, msg, hint)
	}
}
