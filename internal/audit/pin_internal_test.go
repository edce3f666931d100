package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// testKey is the same in every run.
func testKey(tb testing.TB) (note.Signer, note.Verifier, string) {
	tb.Helper()
	private, public, err := note.GenerateKey(strings.NewReader(strings.Repeat("seed", 64)), "idemctl-test")
	if err != nil {
		tb.Fatal(err)
	}
	s, err := note.NewSigner(private)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		tb.Fatal(err)
	}
	return s, v, public
}

func testPin(tb testing.TB, n int) *pin {
	tb.Helper()
	s, _, public := testKey(tb)
	var p *pin
	for i := range n {
		c := checkpoint{originPrefix + "test/0", int64(i + 1), sha256.Sum256(fmt.Append(nil, i))}
		signed, err := c.sign(s)
		if err != nil {
			tb.Fatal(err)
		}
		if p, err = p.next(c, signed, public, int64(100*i)); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

func TestPin(t *testing.T) {
	t.Parallel()
	p := testPin(t, pinHistory+7)
	got, err := parsePin(p.bytes())
	if err != nil {
		t.Fatal(err)
	}
	history, err := got.history()
	if err != nil || len(history) != pinHistory || history[0].size != pinHistory+7 || got.checkpoint != p.checkpoint || got.journal != p.journal {
		t.Errorf("%d checkpoints, %+v, %v", len(history), got, err)
	}
	for name, c := range map[string]checkpoint{
		"smaller": {p.origin, p.size - 1, p.root}, "another trail": {p.origin + "1", p.size + 1, p.root},
	} {
		if _, err := p.next(c, nil, p.key, p.journal); err == nil {
			t.Errorf("%s: the pin went on", name)
		}
	}
	if _, err := p.next(checkpoint{p.origin, p.size + 1, p.root}, nil, p.key, p.journal-1); err == nil {
		t.Error("the journal became shorter")
	}
	if _, err := p.next(checkpoint{p.origin, p.size + 1, p.root}, nil, p.key+"x", p.journal); err == nil {
		t.Error("the key changed")
	}
}

// TestPinBytes: a pin in which any byte differs is no pin, but for the checkpoints below the newest, which history opens.
func TestPinBytes(t *testing.T) {
	t.Parallel()
	good := testPin(t, 3).bytes()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		p, err := parsePin(bad)
		if err != nil {
			continue
		}
		if _, err := p.history(); err == nil && p.journal == 200 {
			t.Errorf("byte %d: accepted", i)
		}
	}
	for i := range good {
		if _, err := parsePin(good[:i]); err == nil {
			t.Errorf("cut to %d bytes: accepted", i)
		}
	}
}

func TestCheckpointBytes(t *testing.T) {
	t.Parallel()
	s, v, _ := testKey(t)
	good, err := checkpoint{originPrefix + "test/0", 12, tlog.RecordHash(nil)}.sign(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openCheckpoint(good, v); err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := openCheckpoint(bad, v); err == nil {
			t.Errorf("bit %d: accepted", bit)
		}
	}
	more := append(bytes.Clone(good), "— other AAAAAAAA\n"...)
	if _, err := openCheckpoint(more, v); err == nil {
		t.Error("with a signature that nobody checks: accepted")
	}
	for name, text := range map[string]string{
		"origin": "other/0\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "empty": "", "no root": originPrefix + "x\n1\n\n", "no records": originPrefix + "x\n0\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
		"plus": originPrefix + "x\n+1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "line more": originPrefix + "x\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nmore\n",
	} {
		if c, err := parseCheckpoint(text); err == nil || c != (checkpoint{}) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func FuzzPin(f *testing.F) {
	f.Add(testPin(f, 1).bytes())
	f.Add(testPin(f, 3).bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parsePin(b)
		if (p == nil) != (err != nil) {
			t.Fatal("neither a pin nor an error")
		}
		if err == nil && !bytes.Equal(p.bytes(), b) {
			t.Errorf("read %q, wrote %q", b, p.bytes())
		}
	})
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(checkpoint{originPrefix + "test/0", 12, tlog.RecordHash(nil)}.text())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCheckpoint(text)
		if (c == checkpoint{}) != (err != nil) {
			t.Fatal("neither a checkpoint nor an error")
		}
		if err == nil && c.text() != text {
			t.Errorf("read %q, wrote %q", text, c.text())
		}
	})
}
