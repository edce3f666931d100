package mapping

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

func parts(columns ...string) []Part {
	out := make([]Part, 0, len(columns))
	for _, c := range columns {
		out = append(out, Part{Column: c})
	}
	return out
}

// TestRecipes makes keys as stores make them. What is expected was computed outside of Go: by sha256sum, md5sum and Python.
func TestRecipes(t *testing.T) {
	t.Parallel()
	word := func(s string) Part { return Part{Const: &s} }
	for _, tt := range []struct {
		name  string
		field Field
		doc   string
		want  string
	}{
		{"joined", Field{Parts: parts("a", "b"), Join: ":"}, `{"a":"x","b":"y"}`, "x:y"},
		{"joined numbers", Field{Parts: parts("a", "b", "c"), Join: "-"}, `{"a":1,"b":-2,"c":true}`, "1--2-true"},
		{"joined by NUL", Field{Parts: parts("a", "b"), Join: "\x00"}, `{"a":"x","b":"y"}`, "x\x00y"},
		{"an empty part", Field{Parts: parts("a", "b"), Join: "|"}, `{"a":"","b":"y"}`, "|y"},
		{"a constant part", Field{Parts: []Part{word("POST"), {Column: "path"}, word("")}, Join: " "}, `{"path":"/pay"}`, "POST /pay "},
		{"sha256 of joined parts", Field{Parts: parts("t", "k"), Join: ":", Hash: "sha256-hex"}, `{"t":"north","k":"K1"}`, "9a72e2b9a43c24288d7533eab65f1773a9dc6816672f068fdfeea6787e6c52bc"},
		{"cut after the prefix", Field{Parts: parts("t", "k"), Join: ":", Hash: "md5-hex", Prefix: "idem:", Truncate: 13}, `{"t":"north","k":"K1"}`, "idem:e210b0e1"},
		{"lower goes before the hash", Field{From: "k", Lower: true, Hash: "md5-hex"}, `{"k":"ABC"}`, "900150983cd24fb0d6963f7d28e17f72"},
		{"strip goes before the hash", Field{From: "k", StripPrefix: "x-", Hash: "md5-hex"}, `{"k":"x-abc"}`, "900150983cd24fb0d6963f7d28e17f72"},
		{"python object", Field{From: "v", JSON: "python"}, `{"v":{"b":1,"a":"ü\u007f/\n\"\\"}}`, `{"a": "\u00fc\u007f/\n\"\\", "b": 1}`},
		{"python list of parts", Field{Parts: parts("a", "b", "c", "d", "e", "f"), JSON: "python"}, `{"a":"u1","b":7,"c":null,"d":true,"e":1.5,"f":0.0001}`, `["u1", 7, null, true, 1.5, 0.0001]`},
		{"python text", Field{From: "v", JSON: "python"}, `{"v":"abc"}`, `"abc"`},
		{"python order and pairs", Field{From: "v", JSON: "python"}, `{"v":{"😀":-3,"x":{"é":1,"z":[]}}}`, `{"x": {"z": [], "\u00e9": 1}, "\ud83d\ude00": -3}`},
		{"powertools", Field{From: "v", JSON: "python", Hash: "md5-hex", Prefix: "shop.handler#"}, `{"v":{"b":1,"a":"ü\u007f/\n\"\\"}}`, "shop.handler#47a121ae1ab9e930ba598e5b0bb9c7df"},
		{"powertools of several parts", Field{Parts: parts("a", "b", "c", "d", "e", "f"), JSON: "python", Hash: "md5-hex"}, `{"a":"u1","b":7,"c":null,"d":true,"e":1.5,"f":0.0001}`, "4b968d20ee0458f1779f893497d0afc3"},
		{"python spells an exponent otherwise", Field{From: "v", JSON: "python"}, `{"v":1e2}`, "! Python may spell otherwise"},
		{"python drops a zero", Field{From: "v", JSON: "python"}, `{"v":[1.50]}`, "! Python may spell otherwise"},
		{"python rounds", Field{From: "v", JSON: "python"}, `{"v":0.12345678901234567}`, "! Python may spell otherwise"},
		{"python turns small ones into exponents", Field{From: "v", JSON: "python"}, `{"v":0.00001}`, "! Python may spell otherwise"},
		{"python keeps any integer", Field{From: "v", JSON: "python"}, `{"v":123456789012345678901234567890}`, "123456789012345678901234567890"},
		{"canonical", Field{From: "v", JSON: "canonical"}, `{"v":{"b":1.0,"a":[1e2]}}`, `{"a":[100],"b":1}`},
		{"canonical list of parts", Field{Parts: parts("a", "b"), JSON: "canonical"}, `{"a":"x","b":{"n":null}}`, `["x",{"n":null}]`},
		{"json of nothing", Field{From: "v", JSON: "python"}, `{"v":null}`, "-"},
		{"json without a part", Field{Parts: parts("a", "b"), JSON: "python"}, `{"a":1}`, "-"},
	} {
		tt.field.Name = "key"
		r, bad := mapped(t, Input{Role: reconcile.RoleReceipt, Fields: []Field{tt.field}}, tt.doc)
		want, refused := strings.CutPrefix(tt.want, "! ")
		switch {
		case bad != nil && (!refused || !strings.Contains(bad.Reason, want)):
			t.Errorf("%s: unreadable: %s", tt.name, bad.Reason)
		case bad == nil && refused:
			t.Errorf("%s: got %q", tt.name, r.Key().String())
		case bad == nil && r.Key().Known() == (tt.want == "-"), bad == nil && tt.want != "-" && r.Key().String() != tt.want:
			t.Errorf("%s: got %q, want %q", tt.name, r.Key().String(), tt.want)
		}
	}
}

func TestRecipesThatDoNotFit(t *testing.T) {
	t.Parallel()
	word := "x"
	for _, f := range []Field{
		{From: "a", Join: ":"},
		{Parts: parts("a", "b"), Join: ":", JSON: "python"},
		{Const: &word, JSON: "python"},
		{From: "a", JSON: "yaml"},
		{Parts: []Part{{Const: &word}}},
		{Parts: parts("a"), From: "b"},
	} {
		f.Name = "key"
		if _, err := Compile(Input{Role: reconcile.RoleReceipt, Fields: []Field{f}}); err == nil {
			t.Errorf("%+v was taken", f)
		}
	}
}

// TestJoinedAsTheRecipeSays holds joined parts against the plain text of the recipe, and shows when it tells all parts apart: where the separator stands in none
// of them.
func TestJoinedAsTheRecipeSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		join := rapid.SampledFrom([]string{"", ":", "\x00", "::"}).Draw(t, "join")
		m, err := Compile(Input{Role: reconcile.RoleReceipt, Fields: []Field{{Name: "key", Parts: parts("a", "b", "c"), Join: join, Hash: "md5-hex"}}})
		if err != nil {
			t.Fatal(err)
		}
		key := func(ps []string) string {
			cells := make([]rows.Cell, len(ps))
			for i := range ps {
				cells[i] = rows.Cell{Kind: rows.Text, Text: []byte(ps[i])}
			}
			r, bad := m.Map(cells)
			if bad != nil {
				t.Fatal(bad)
			}
			return r.Key().String()
		}
		part := rapid.StringMatching("[a:\\x00]{0,3}")
		one, other := rapid.SliceOfN(part, 3, 3).Draw(t, "one"), rapid.SliceOfN(part, 3, 3).Draw(t, "other")
		sum := md5.Sum([]byte(strings.Join(one, join)))
		if got := key(one); got != hex.EncodeToString(sum[:]) {
			t.Fatalf("%q: %s", one, got)
		}
		within := func(ps []string) bool { return strings.Contains(strings.Join(ps, ""), join) }
		if join != "" && !within(one) && !within(other) && !slices.Equal(one, other) && len(join) == 1 && key(one) == key(other) {
			t.Fatalf("%q and %q are one key", one, other)
		}
	})
}

// A reference that several elements give is a set where its members can be told apart again: nothing was done to the text, and none holds the comma that stands
// between them.
func TestSetsOfReferences(t *testing.T) {
	t.Parallel()
	first := []Field{{From: "other"}, {From: "made[].id"}}
	for _, tt := range []struct {
		name  string
		field Field
		doc   string
		want  reconcile.Value
	}{
		{"several", Field{From: "made[].id"}, `{"made":[{"id":"b"},{"id":"a"},{"id":"b"}]}`, reconcile.Set([]byte("a,b"))},
		{"numbers", Field{From: "made[].id"}, `{"made":[{"id":12},{"id":7}]}`, reconcile.Set([]byte("12,7"))},
		{"one", Field{From: "made[].id"}, `{"made":[{"id":"b"}]}`, reconcile.Text("b")},
		{"one, often", Field{From: "made[].id"}, `{"made":[{"id":"b"},{"id":"b"}]}`, reconcile.Text("b")},
		{"one with a comma", Field{From: "made[].id"}, `{"made":[{"id":"a,b"}]}`, reconcile.Text("a,b")},
		{"several, one with a comma", Field{From: "made[].id"}, `{"made":[{"id":"a,b"},{"id":"c"}]}`, reconcile.Text("a,b,c")},
		{"a text with a comma", Field{From: "id"}, `{"id":"a,b"}`, reconcile.Text("a,b")},
		{"changed", Field{From: "made[].id", Prefix: "x"}, `{"made":[{"id":"b"},{"id":"a"}]}`, reconcile.Text("xa,b")},
		{"an alternative", Field{First: first}, `{"made":[{"id":"b"},{"id":"a"}]}`, reconcile.Set([]byte("a,b"))},
		{"another alternative", Field{First: first}, `{"other":"a,b","made":[{"id":"b"},{"id":"a"}]}`, reconcile.Text("a,b")},
		{"a changed alternative", Field{First: first, Prefix: "x"}, `{"made":[{"id":"b"},{"id":"a"}]}`, reconcile.Text("xa,b")},
	} {
		for _, name := range []string{"object_id", "provider_ref", "effect_id", "target"} {
			tt.field.Name = name
			r, bad := mapped(t, Input{Role: reconcile.RoleProvider, Fields: []Field{tt.field}}, tt.doc)
			if bad != nil {
				t.Errorf("%s: %s: %v", tt.name, name, bad)
				continue
			}
			got := map[string]reconcile.Value{"object_id": r.ObjectID, "provider_ref": r.ProviderRef, "effect_id": r.EffectID, "target": r.Target}[name]
			if !got.Equal(tt.want) || got.IsSet() != (tt.want.IsSet() && name != "target") {
				t.Errorf("%s: %s: %q, set %v", tt.name, name, got.Bytes(), got.IsSet())
			}
		}
	}
}
