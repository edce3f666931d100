package scan

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRefBitsMissNothing adds references of many groups: whatever two groups carry, or one wanted, is repeated. Calling others repeated is allowed, but
// not of nearly all.
func TestRefBitsMissNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type ref struct{ h, tag uint32 }
		refs := newRefBits(0)
		met := make(map[ref]int)
		wanted := make(map[ref]bool)
		for range rapid.IntRange(0, 60).Draw(t, "groups") {
			g := group{rows: make([]trace, rapid.IntRange(1, 6).Draw(t, "rows"))}
			own := make(map[ref]bool)
			for i := range g.rows {
				g.rows[i].er, g.rows[i].pr = rapid.Uint32Range(0, 20).Draw(t, "er"), rapid.Uint32Range(0, 20).Draw(t, "pr")
				own[ref{g.rows[i].er, tagEffect}], own[ref{g.rows[i].pr, tagObject}] = true, true
			}
			want := rapid.IntRange(0, 9).Draw(t, "want") == 0
			refs.addGroup(&g, want)
			for r := range own {
				met[r]++
				wanted[r] = wanted[r] || want
			}
		}
		for r, n := range met {
			switch {
			case r.h == 0 && refs.repeated(r.h, r.tag):
				t.Fatal("no reference at all is called repeated")
			case r.h != 0 && (n > 1 || wanted[r]) && !refs.repeated(r.h, r.tag):
				t.Fatalf("reference %d of %d groups is missed", r.h, n)
			}
		}
	})
}

// TestRefBitsSeldomErr fills the bits as full as they are made for.
func TestRefBitsSeldomErr(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	refs := newRefBits(n)
	for h := range uint32(n) {
		refs.add(h+1, tagEffect, false)
	}
	wrong := 0
	for h := range uint32(n) {
		if refs.repeated(h+1, tagEffect) {
			wrong++
		}
	}
	if wrong > n/4 {
		t.Errorf("%d of %d references that one group carries are called repeated", wrong, n)
	}
	for h := range uint32(n) {
		refs.add(h+1, tagEffect, false)
		if !refs.repeated(h+1, tagEffect) {
			t.Fatalf("reference %d was added twice and is missed", h+1)
		}
	}
}

// TestUnionsJoinWhatIsJoined holds unions against labels that are repainted at every join.
func TestUnionsJoinWhatIsJoined(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 24
		u := unions{parent: make(map[uint64]uint64)}
		var label [nodes]int
		for i := range label {
			label[i] = i
		}
		node := rapid.Uint64Range(0, nodes-1)
		for range rapid.IntRange(0, 40).Draw(t, "joins") {
			a, b := node.Draw(t, "a"), node.Draw(t, "b")
			u.join(a, b)
			from, to := label[b], label[a]
			for i := range label {
				if label[i] == from {
					label[i] = to
				}
			}
		}
		for a := range uint64(nodes) {
			for b := range uint64(nodes) {
				if joined := u.root(a) == u.root(b); joined != (label[a] == label[b]) {
					t.Fatalf("%d and %d: joined is %v", a, b, joined)
				}
			}
		}
	})
}
