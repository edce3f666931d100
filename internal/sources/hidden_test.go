package sources

import "testing"

func TestHidesWhatVariablesHeld(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shown, path         string
		held                []Variable
		file, named         string
		words, shouldBecome string
	}{
		{"sqlite:orders.db", "orders.db", nil, "orders.db", "orders.db", "orders.db: damaged", "orders.db: damaged"},
		{
			"sqlite:${VAULT}/orders.db", "s3cret-place/orders.db",
			[]Variable{{"VAULT", "s3cret-place"}},
			"s3cret-place/orders.db", "${VAULT}/orders.db",
			"opening /etc/app/s3cret-place/orders.db: open s3cret-place/x: denied", "opening ${VAULT}/orders.db: open ${VAULT}/x: denied",
		},
		{"jsonl:logs/${DAY}.jsonl", "logs/01.jsonl", []Variable{{"DAY", "01"}}, "logs/01.jsonl", "logs/${DAY}.jsonl", "logs/01.jsonl ends at line 1015", "logs/${DAY}.jsonl ends at line 1015"},
		{"jsonl:${LOGS}", "/srv/s3cret/*.jsonl", []Variable{{"LOGS", "/srv/s3cret/*.jsonl"}}, "/srv/s3cret/a.jsonl", "${LOGS}/a.jsonl", "/srv/s3cret/*.jsonl: no such file", "${LOGS}: no such file"},
		{"sqlite:${A}${B}.db", "BA.db", []Variable{{"A", "B"}, {"B", "A"}}, "BA.db", "${A}${B}.db", "BA.db: damaged", "BA.db: damaged"},
		{"sqlite:${HERE}/a.db", "./a.db", []Variable{{"HERE", "."}}, "./a.db", "./a.db", "./a.db: damaged", "${HERE}/a.db: damaged"},
		{"sqlite:${VAULT}/a.db", "s3cret\u202e/a.db", []Variable{{"VAULT", "s3cret\u202e"}}, "s3cret\u202e/b", "${VAULT}/b", `s3cret\u{202e}/b: damaged`, "${VAULT}/b: damaged"},
		{"sqlite:${V}/a.db", "ab/a.db", []Variable{{"V", "ab"}}, "ab/b", "${V}/b", "open ab/b: no about, ab tab; /x/ab: 1=ab&b=2, u:ab@h, label", "open ${V}/b: no about, ab tab; /x/${V}: 1=${V}&b=2, u:${V}@h, label"},
		{"sqlite:${V}/a.db", "x/y/a.db", []Variable{{"V", "x/y/"}}, "x/y/b", "${V}b", "lstat /etc/x/y: denied", "lstat /etc/${V}: denied"},
		{"sqlite:${V}/a.db", "e\u202e/a.db", []Variable{{"V", "e\u202e"}}, "e\u202e/b", "${V}/b", `e\u{202e}/b: e`, "${V}/b: e"},
		{"sqlite:${V}/a.db", "V/a.db", []Variable{{"V", "V"}}, "V/b", "${V}/b", "V/b V/V", "${V}/b ${V}/${V}"},
	} {
		spec := &Spec{Path: tt.path, Shown: tt.shown, Variables: tt.held}
		if got := spec.named(tt.file); got != tt.named {
			t.Errorf("%s: %s is called %s, want %s", tt.shown, tt.file, got, tt.named)
		}
		if got := spec.hide(Place{Dir: "/etc/app"}, tt.words); got != tt.shouldBecome {
			t.Errorf("%s: %q became %q, want %q", tt.shown, tt.words, got, tt.shouldBecome)
		}
	}
}
