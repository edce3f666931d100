package sources

import (
	"testing"
	"testing/fstest"

	"example.com/idemctl/internal/reconcile"
)

// TestAnOutboxThatKeepsNothingSent says so: its map cannot tell that a message was sent, or no row that stands was.
func TestAnOutboxThatKeepsNothingSent(t *testing.T) {
	t.Parallel()
	state := Field{Name: "state", From: "s", Words: map[string]string{"new": "unsent", "done": "sent", "seen": "confirmed"}}
	id := Field{Name: "message_id", From: "id"}
	for _, tt := range []struct {
		name, text string
		fields     []Field
		gone       bool
	}{
		{"each row is unsent by declaration", `{"id":"1"}`, []Field{id, {Name: "state", Const: new("unsent")}}, true},
		{"each row is sent by declaration, and may be gone again", `{"id":"1"}`, []Field{id, {Name: "state", Const: new("sent")}}, true},
		{"no row was sent", `{"id":"1","s":"new"}`, []Field{id, state}, true},
		{"no row at all", ``, []Field{id, state}, true},
		{"one was sent", `{"id":"1","s":"new"}` + "\n" + `{"id":"2","s":"done"}`, []Field{id, state}, false},
		{"one was confirmed", `{"id":"1","s":"seen"}`, []Field{id, state}, false},
		{"one has a time of its send", `{"id":"1","at":"2026-11-29T03:00:00Z"}`, []Field{id, {Name: "sent_at", From: "at"}}, false},
		{"none has", `{"id":"1","at":null}`, []Field{id, {Name: "sent_at", From: "at"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spec := Spec{Name: "s", Path: "s.jsonl", Scheme: JSONL, Role: reconcile.RoleOutbox, Map: tt.fields}
			set, err := Open(t.Context(), Place{FS: fstest.MapFS{"s.jsonl": {Data: []byte(tt.text)}}, Dir: "."}, []Spec{spec}, now)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := set.Close(); err != nil {
					t.Error(err)
				}
			}()
			scanned(t, set.Readers()[0])
			if got := set.Readers()[0].Facts().SentGone; got != tt.gone {
				t.Errorf("what was sent is gone: %t", got)
			}
		})
	}
}
