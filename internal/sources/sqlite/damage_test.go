package sqlite

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// readAll opens a store that may be damaged and counts the rows that are claimed to be all.
func readAll(t *testing.T, path, temp string) (n int, complete bool) {
	t.Helper()
	s, err := OpenStore(t.Context(), path, temp)
	if err != nil {
		return 0, false
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	tab, err := s.Table("receipts")
	if err != nil {
		return 0, false
	}
	if err := tab.Bind(columns("key", "payload")); err != nil {
		return 0, false
	}
	ext, err := tab.Scan(t.Context(), func(rows.Pos, []rows.Cell) error { n++; return nil }, nil)
	if ext.Complete && err != nil {
		t.Errorf("complete, and yet %v", err)
	}
	return n, ext.Complete
}

func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	const n = 1500
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir, temp := t.TempDir(), t.TempDir()
			path := filepath.Join(dir, "s.db")
			create(t, path, "PRAGMA journal_mode="+mode, "PRAGMA page_size=1024", receipts, fillRows("receipts", n))
			whole, err := os.ReadFile(path)
			must(t, err)
			rng := rand.New(rand.NewPCG(3, 4))
			for i := range 150 {
				size := rng.IntN(len(whole))
				if i < 40 {
					size = len(whole) - 1 - i*7 // inside the last page
				}
				write(t, path, whole[:size])
				if got, complete := readAll(t, path, temp); complete {
					t.Errorf("cut to %d of %d bytes: claimed complete with %d of %d rows", size, len(whole), got, n)
				}
			}
			if left := listing(t, temp); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// A flipped byte may change a value, which SQLite cannot know; it never ends in a panic, a hang or rows that are silently fewer.
func TestFlips(t *testing.T) {
	t.Parallel()
	const n, flips = 300, 3000
	dir, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "s.db")
	create(t, path, "PRAGMA journal_mode=WAL", "PRAGMA page_size=1024", receipts, "CREATE INDEX k ON receipts (key)", fillRows("receipts", n))
	whole, err := os.ReadFile(path)
	must(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	seen := 0
	for range flips {
		at := rng.IntN(len(whole))
		if rng.IntN(4) == 0 {
			at = rng.IntN(len(whole)/1024)*1024 + rng.IntN(16) // page headers, where it hurts
		}
		bad := append([]byte(nil), whole...)
		bad[at] ^= byte(1 + rng.IntN(255))
		write(t, path, bad)
		got, complete := readAll(t, path, temp)
		if !complete {
			seen++
		}
		if complete && got != n {
			t.Errorf("byte %d %#x for %#x: claimed complete with %d of %d rows", at, bad[at], whole[at], got, n)
		}
		for _, suffix := range []string{"-wal", "-shm", "-journal"} {
			if _, err := os.Lstat(path + suffix); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("byte %d: %s appeared (%v)", at, suffix, err)
			}
		}
	}
	if seen == 0 {
		t.Error("no damage was ever noticed")
	}
	t.Logf("%d of %d refused", seen, flips)
}
