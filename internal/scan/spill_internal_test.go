package scan

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/reconcile"
)

// TestTraceKeepsEveryField writes traces over what stood there before, and reads them.
func TestTraceKeepsEveryField(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u32 := rapid.Uint32()
		want := trace{
			k: rapid.Uint64().Draw(t, "k"), id: rapid.Uint64().Draw(t, "id"), er: u32.Draw(t, "er"), pr: u32.Draw(t, "pr"), tw: u32.Draw(t, "tw"),
			dg: u32.Draw(t, "dg"), t: u32.Draw(t, "t"), fl: flags(u32.Draw(t, "fl")), fp: u32.Draw(t, "fp"), pa: u32.Draw(t, "pa"), gn: u32.Draw(t, "gn"), src: rapid.Uint16().Draw(t, "src"), ci: rapid.Uint16().Draw(t, "ci"), pos: rapid.Uint64().Draw(t, "pos"),
		}
		b := rapid.SliceOfN(rapid.Byte(), traceSize, traceSize).Draw(t, "before")
		want.put(b)
		var got trace
		if got.get(b); got != want {
			t.Fatalf("wrote %+v, read %+v", want, got)
		}
	})
}

// TestFlagsKeepApart sets whatever shares the flags of a trace at once: nothing reaches into what is another's.
func TestFlagsKeepApart(t *testing.T) {
	t.Parallel()
	for f := odd; f < flagsEnd; f <<= 1 {
		if f.role() != 0 || f.shape() != 0 || f.part() != 0 {
			t.Errorf("flag %b says role %d, shape %d, part %d", f, f.role(), f.shape(), f.part())
		}
	}
	all := flagsEnd - odd
	for role := range reconcile.Role(roleMask + 1) {
		for shape := range reconcile.KeyShape(reconcile.KeyShapes) {
			for _, part := range []int{0, 1, mostParts} {
				f := all | flags(role) | flags(shape)<<shapeShift | flags(part)<<partShift
				if f.role() != role || f.shape() != shape || f.part() != part {
					t.Errorf("role %d, shape %d, part %d are read as %d, %d, %d", role, shape, part, f.role(), f.shape(), f.part())
				}
			}
		}
	}
}

// TestSuspectKeepsEveryField does the same for suspects.
func TestSuspectKeepsEveryField(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := suspect{
			node: rapid.Uint64().Draw(t, "node"), pos: rapid.Uint64().Draw(t, "pos"), src: rapid.Uint16().Draw(t, "src"),
			stray: rapid.Bool().Draw(t, "stray"), guest: rapid.Bool().Draw(t, "guest"), at: rapid.Uint32().Draw(t, "at"),
		}
		b := rapid.SliceOfN(rapid.Byte(), suspectSize, suspectSize).Draw(t, "before")
		want.put(b)
		var got suspect
		if got.get(b); got != want {
			t.Fatalf("wrote %+v, read %+v", want, got)
		}
	})
}

// entrySize is small so that a few entries cross every border of blocks and shares.
const entrySize = 16

// TestPoolKeepsEachWritersOrder writes from several hands under budgets that put nothing, some or all on disk, and reads back by load and by stream.
func TestPoolKeepsEachWritersOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		p := newPool(dir, entrySize, parts, rapid.SampledFrom([]int64{0, 1, 1 << 10, 1 << 14, 1 << 20}).Draw(t, "budget"))
		defer func() {
			if err := p.close(); err != nil {
				t.Fatal(err)
			}
		}()
		hands := rapid.IntRange(1, 3).Draw(t, "hands")
		ws := make([]*writer, hands)
		for h := range ws {
			ws[h] = p.writer()
		}
		for n := range rapid.IntRange(0, 4*blockEntries).Draw(t, "entries") {
			b, err := ws[n%hands].entry(uint64(n / hands))
			if err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint64(b, uint64(n%hands))
			binary.LittleEndian.PutUint64(b[8:], uint64(n/hands))
		}
		for _, w := range ws {
			if err := w.done(); err != nil {
				t.Fatal(err)
			}
		}
		limit := rapid.IntRange(1, 40).Draw(t, "block") * entrySize
		for i := range parts {
			loaded, err := p.load(i, nil)
			if err != nil {
				t.Fatal(err)
			}
			var streamed []byte
			if err := p.stream(i, limit, func(b []byte) error {
				if len(b) == 0 || len(b) > limit || len(b)%entrySize != 0 {
					t.Fatalf("a block of %d bytes", len(b))
				}
				streamed = append(streamed, b...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if string(loaded) != string(streamed) || int64(len(loaded)) != p.bytes(i) {
				t.Fatalf("partition %d: %d bytes loaded, %d streamed, %d counted", i, len(loaded), len(streamed), p.bytes(i))
			}
			inOrder(t, loaded, i, parts, hands)
		}
		total := int64(0)
		for i := range p.parts {
			total += p.parts[i].n
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
			t.Fatalf("%d entries left names in the folder: %v, %v", total, names, err)
		}
	})
}

func inOrder(t *rapid.T, b []byte, part, parts, hands int) {
	next := make([]uint64, hands)
	for h := range next {
		next[h] = uint64(part)
	}
	for ; len(b) > 0; b = b[entrySize:] {
		h, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		if n != next[h] {
			t.Fatalf("partition %d: writer %d's entry %d stands where %d should", part, h, n, next[h])
		}
		next[h] += uint64(parts)
	}
}

// TestStoreKeepsWhatStandsOnDiskAndInMemory puts entries back in another order.
func TestStoreKeepsWhatStandsOnDiskAndInMemory(t *testing.T) {
	t.Parallel()
	p := newPool(t.TempDir(), entrySize, 1, 10*entrySize)
	for n := range 25 {
		if err := p.add(0, []byte(strings.Repeat(string(rune('a'+n)), entrySize))); err != nil {
			t.Fatal(err)
		}
	}
	if p.parts[0].disk == 0 || len(p.parts[0].mem) == 0 {
		t.Fatalf("%d bytes on disk, %d in memory: one of them is not tried", p.parts[0].disk, len(p.parts[0].mem))
	}
	b, err := p.load(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := 0, len(b)-entrySize; i < k; i, k = i+entrySize, k-entrySize {
		for n := range entrySize {
			b[i+n], b[k+n] = b[k+n], b[i+n]
		}
	}
	if err := p.store(0, b); err != nil {
		t.Fatal(err)
	}
	got, err := p.load(0, nil)
	if err = errors.Join(err, p.close()); err != nil {
		t.Fatal(err)
	}
	if string(got) != string(b) {
		t.Errorf("stored %q, loaded %q", b, got)
	}
}

// TestSpillFailsClearly asks for disk where there is none: the error says what was tried and keeps its cause.
func TestSpillFailsClearly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a folder that is not there": filepath.Join(t.TempDir(), "none"), "a file": file} {
		p := newPool(dir, entrySize, 1, 0)
		err := p.add(0, make([]byte, entrySize))
		if pe := (*fs.PathError)(nil); err == nil || !strings.HasPrefix(err.Error(), "making a temporary file: ") || !errors.As(err, &pe) {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.close(); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
	}
}

// TestWriteFailsClearly takes the file away under the pool, as a full disk does: writing and reading back both say so.
func TestWriteFailsClearly(t *testing.T) {
	t.Parallel()
	p := newPool(t.TempDir(), entrySize, 1, 0)
	if err := p.add(0, make([]byte, entrySize)); err != nil {
		t.Fatal(err)
	}
	if err := p.parts[0].file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.add(0, make([]byte, entrySize)); err == nil || !strings.HasPrefix(err.Error(), "writing to the temporary folder: ") {
		t.Errorf("writing: %v", err)
	}
	if _, err := p.load(0, nil); err == nil || !strings.HasPrefix(err.Error(), "reading back from the temporary folder: ") {
		t.Errorf("loading: %v", err)
	}
	if err := p.stream(0, streamBlock, func([]byte) error { return nil }); err == nil || !strings.HasPrefix(err.Error(), "reading back from the temporary folder: ") {
		t.Errorf("streaming: %v", err)
	}
	if err := p.store(0, make([]byte, entrySize)); err == nil || !strings.HasPrefix(err.Error(), "writing to the temporary folder: ") {
		t.Errorf("storing: %v", err)
	}
}
