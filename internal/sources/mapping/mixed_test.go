package mapping

import (
	"testing"

	"example.com/idemctl/internal/reconcile"
)

func TestMixedTypesAreNoticed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		docs  []string
		mixed bool
	}{
		{[]string{`{"k":7}`, `{"k":8}`}, false},
		{[]string{`{"k":"7"}`, `{"k":"8"}`}, false},
		{[]string{`{"k":7}`, `{"k":"7"}`}, true},
		{[]string{`{"k":"7"}`, `{"k":7}`}, true},
		{[]string{`{"k":7}`, `{"k":"007"}`, `{"k":"a7"}`, `{"k":"-"}`, `{"k":""}`}, false},
		{[]string{`{"k":true}`, `{"k":"true"}`}, true},
		{[]string{`{"k":1.5}`, `{"k":"1.5"}`}, true},
	}
	for _, tt := range tests {
		m, err := Compile(Input{Role: reconcile.RoleEffect, Fields: []Field{{Name: "key", From: "k"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range tt.docs {
			if _, bad := m.Map(cellsOf(t, m, doc)); bad != nil {
				t.Fatal(bad)
			}
		}
		if got := len(m.Mixed()) > 0; got != tt.mixed {
			t.Errorf("%v: mixed %t, want %t", tt.docs, got, tt.mixed)
		}
	}
}
