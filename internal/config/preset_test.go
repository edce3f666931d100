package config

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/presets"
)

// sourceOf reads one source of a config.
func sourceOf(t *testing.T, source string) sources.Spec {
	t.Helper()
	cfg, err := parse("c.yaml", []byte("version: 1\nname: t\ncontracts: {operation: pay, scope: [principal, key]}\nsources: "+source+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.Sources[0]
}

// shownMap is a map as facts and where they come from.
func shownMap(s *sources.Spec) string {
	var out []string
	for _, f := range s.Map {
		from := f.From
		if f.Const != nil {
			from = "=" + *f.Const
		}
		out = append(out, f.Name+":"+from)
	}
	return strings.Join(out, " ")
}

// TestPreset: a preset fills up what the source leaves out, and what the source says wins, field by field.
func TestPreset(t *testing.T) {
	t.Parallel()
	const whole = "request_id:id principal:user_id operation: key:idempotency_key state:recovery_point phase:recovery_point params:request_params " +
		"response_status:response_code response_body:response_body created_at:created_at updated_at:last_run_at locked_at:locked_at"
	for _, tc := range []struct{ source, table, fields string }{
		{"{name: r, open: 'sqlite:a', preset: rocket-rides}", "idempotency_keys", whole},
		{"{name: r, role: receipts, open: 'sqlite:a', preset: rocket-rides, table: keys}", "keys", whole},
		{
			"{name: r, open: 'sqlite:a', preset: rocket-rides, map: {business_ref: note, operation: {value: ride}, phase: null, params: null}}", "idempotency_keys",
			"request_id:id principal:user_id operation:=ride key:idempotency_key state:recovery_point response_status:response_code response_body:response_body created_at:created_at updated_at:last_run_at locked_at:locked_at business_ref:note",
		},
		{"{name: r, open: 'jsonl:a', preset: rocket-rides}", "", whole},
	} {
		s := sourceOf(t, tc.source)
		if s.Preset != "rocket-rides" || s.Role.String() != "receipt" && s.Role.String() != "receipts" || s.Table != tc.table || shownMap(&s) != tc.fields {
			t.Errorf("%s\n is %s of %s: %s", tc.source, s.Role, s.Table, shownMap(&s))
		}
	}
}

// TestPresetsRead: every shipped preset can be read, says what it must, and a defect in any of its lines is named with its place.
func TestPresetsRead(t *testing.T) {
	t.Parallel()
	all, err := ReadPresets()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("there are no presets")
	}
	for _, p := range all {
		data, _ := presets.Text(p.Name)
		lines := bytes.SplitAfter(data, []byte("\n"))
		for i, line := range lines {
			if name, _, ok := bytes.Cut(line, []byte(":")); !ok || bytes.ContainsAny(name, " -#\t") {
				continue // not the beginning of a field
			}
			broken := bytes.Join(append(append(append([][]byte{}, lines[:i]...), append([]byte("x"), line...)), lines[i+1:]...), nil)
			_, err := parsePreset(p.Name, broken)
			var bad *Error
			if !errors.As(err, &bad) || bad.Line != i+1 || bad.Hint == "" {
				t.Errorf("%s: line %d spoilt: %v", p.Name, i+1, err)
			}
		}
	}
}
