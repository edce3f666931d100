package audit

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"example.com/idemctl/internal/reconcile"
)

var update = flag.Bool("update", false, "write the golden files anew")

const goldenRecord = "testdata/record.golden"

// fullRecord holds something in every member, and text that is hard to spell.
func fullRecord() *record {
	at := reconcile.At(time.Date(2026, 11, 29, 6, 0, 0, 123456789, time.UTC))
	return &record{
		header: header{log: "idemctl/0b5a9a0c-7f0e-4f55-9a70-0d7d0c6a1f00/0", seq: 7, prev: tlog.RecordHash([]byte("the record before")), at: at, tool: "idemctl v1.2.3"},
		intent: intent{
			id: "019a8a6e-1111-7000-8000-000000000001", what: EventDecided, actor: "kim",
			auth: auth{method: "process", key: "SHA256:abc", uid: 1000, loginUID: noLoginUID, sudoUser: "root", host: "night", tty: "/dev/pts/3", ssh: "192.0.2.1 22 192.0.2.2 22", where: "0011223344556677"},
			seen: seen{7, tlog.RecordHash([]byte("the tree before"))}, key: "k+1+2", decision: "019a8a6e-1111-7000-8000-000000000000",
			core: core{
				caseID: "dbfidmg7vmqdhzrd", rev: 2, contract: "checkout",
				identity: []reconcile.Component{
					{Name: "tenant", Value: reconcile.Text("north\x1b[31m\u202ebikes \"\\ü\n")},
					{Name: "operation", Value: reconcile.Text("")},
					{Name: "region"},
					{Name: "key", Value: reconcile.Bytes([]byte("k\xff\x00"))},
				},
				supersedes: "019a8a6e-1111-7000-8000-000000000000", action: "resolve", as: "confirm-not-executed", executed: "undetermined",
				legs:   []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegLost, Code: "absent-no-candidate"}, {Name: reconcile.LegProvider}},
				digest: "sha256:00ff", code: "operator-fact", answer: "You state it.", config: "orders-prod", configDigest: "sha256:11", scanNow: at.Add(-time.Second), pinned: true,
				reason: "asked the provider:\nthey have nothing", ref: "ticket 7", to: "night shift", asOf: at.Add(-time.Hour), until: at.Add(time.Hour), outcome: "unknown",
				evidence: []tlog.Hash{tlog.RecordHash([]byte("a")), tlog.RecordHash([]byte("b"))},
			},
			policy: "sha256:22", plan: planPart{tlog.RecordHash([]byte("plan")), 1, 2},
		},
		signature: signedPrefix + "U1NIU0lH",
	}
}

func TestRecordGolden(t *testing.T) {
	t.Parallel()
	r := fullRecord()
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(goldenRecord, r.body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenRecord)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.body, want) {
		t.Errorf("the format of a record has changed: records that stand cannot follow\n got: %s\nwant: %s", r.body, want)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	want := fullRecord()
	if err := want.finish(); err != nil {
		t.Fatal(err)
	}
	got, err := parseRecord(bytes.Clone(want.body))
	if err != nil {
		t.Fatal(err)
	}
	in := fullRecord()
	in.body, in.leaf, in.version, in.kind, in.of = got.body, got.leaf, 1, in.what, in.log
	if a, b := spell(t, in), spell(t, got); a != b {
		t.Errorf("read %s\nwrote %s", b, a)
	}
	for i := range in.identity {
		if a, b := in.identity[i], got.identity[i]; a.Name != b.Name || a.Value.Known() != b.Value.Known() || a.Value.String() != b.Value.String() {
			t.Errorf("component %d: read %q, wrote %q", i, b.Value.Bytes(), a.Value.Bytes())
		}
	}
}

func spell(t *testing.T, r *record) string {
	t.Helper()
	b, err := appendLine(nil, r.header.members())
	if err == nil {
		b, err = appendLine(b, r.intent.members())
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + r.signature
}

func TestRecordRefused(t *testing.T) {
	t.Parallel()
	r := fullRecord()
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	good := string(r.body)
	for name, change := range map[string][2]string{
		"space":            {`{"v":1`, `{ "v":1`},
		"order":            {`"v":1,"log":"`, `"log":"`},
		"unknown member":   {`"v":1,`, `"v":1,"x":1,`},
		"repeated member":  {`"actor":"kim",`, `"actor":"kim","actor":"kim",`},
		"other case":       {`"actor"`, `"Actor"`},
		"missing member":   {`"actor":"kim",`, ``},
		"empty member":     {`"policy":"sha256:22"`, `"policy":""`},
		"zero count":       {`"rev":2`, `"rev":0`},
		"leading zero":     {`"rev":2`, `"rev":02`},
		"negative":         {`"rev":2`, `"rev":-2`},
		"float":            {`"rev":2`, `"rev":2.0`},
		"exponent":         {`"rev":2`, `"rev":2e0`},
		"too large":        {`"rev":2`, `"rev":9007199254740992`},
		"false":            {`"pinned":true`, `"pinned":false`},
		"null":             {`"pinned":true`, `"pinned":null`},
		"version":          {`"v":1`, `"v":2`},
		"type":             {`"type":"decision.made"`, `"type":"decision.mad"`},
		"other type":       {`"type":"decision.made","actor"`, `"type":"decision.expired","actor"`},
		"other log":        {`0","type":"decision.made","actor"`, `1","type":"decision.made","actor"`},
		"time":             {`123456789Z`, `12345678Z`},
		"no such day":      {`2026-11-29T06`, `2026-02-30T06`},
		"word":             {`"as":"confirm-not-executed"`, `"as":"confirmed"`},
		"method":           {`"method":"process"`, `"method":"trust me"`},
		"raw control":      {`You state it.`, "You state\tit."},
		"not UTF-8":        {`You state it.`, "You state\xffit."},
		"half a surrogate": {`You state it.`, `You state \ud83d it.`},
		"escape":           {`You state it.`, `You state \x it.`},
		"base64 of text":   {`"base64":"a/8A"`, `"base64":"YQ=="`},
		"base64 padding":   {`"base64":"a/8A"`, `"base64":"a/8"`},
		"base64 newline":   {`"base64":"a/8A"`, `"base64":"a/\n8A"`},
		"first with prev":  {`"seq":7`, `"seq":0`},
		"part beyond plan": {`"part":1,"of":2`, `"part":3,"of":2`},
		"fourth line":      {"U1NIU0lH\n", "U1NIU0lH\n\n"},
		"no line feed":     {"U1NIU0lH\n", "U1NIU0lH"},
		"carriage return":  {"}\n", "}\r\n"},
		"signature":        {signedPrefix, "pgp "},
		"empty signature":  {signedPrefix + "U1NIU0lH", signedPrefix},
		"something after":  {"}\n{", "}1\n{"},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Errorf("%s: %q does not stand in the record", name, change[0])
			continue
		}
		if _, err := parseRecord([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestRecordTooLong: what cannot be read again is not written.
func TestRecordTooLong(t *testing.T) {
	t.Parallel()
	r := fullRecord()
	r.reason = strings.Repeat("x", maxRecord)
	if err := r.finish(); err == nil {
		t.Error("written")
	}
	r = fullRecord()
	r.reason = "\xff"
	if err := r.finish(); err == nil {
		t.Error("text that is not UTF-8 was written")
	}
}

func FuzzRecord(f *testing.F) {
	r := fullRecord()
	if err := r.finish(); err != nil {
		f.Fatal(err)
	}
	f.Add(r.body)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRecord(b)
		if err != nil {
			if r != nil {
				t.Error("a record came with an error")
			}
			return
		}
		if !bytes.Equal(r.body, b) || r.leaf != tlog.RecordHash(b) {
			t.Error("the record is not its bytes")
		}
		again := *r
		if err := again.finish(); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if a, b := spell(t, r), spell(t, &again); a != b {
			t.Errorf("read %s\nthen %s", a, b)
		}
	})
}
