package scan_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/histories"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// lived makes sources of a simulated service's past.
func lived(seed uint64) (*config.Config, []*memory) { return sourcesOf(histories.Generate(seed)) }

func sourcesOf(h *histories.History) (*config.Config, []*memory) {
	cfg := &config.Config{Name: "lived", Contracts: h.Book, Now: h.World.Now, Events: h.World.Events}
	bySource := make(map[string]*memory)
	ms := make([]*memory, len(h.World.Sources))
	for i, f := range h.World.Sources {
		ms[i] = &memory{facts: f}
		bySource[f.Name] = ms[i]
	}
	for _, r := range h.Records {
		m := bySource[r.Source]
		m.recs = append(m.recs, r)
	}
	return cfg, ms
}

// eachPast hands over the first so many pasts, in two parts side by side.
func eachPast(t *testing.T, seeds uint64, check func(t *testing.T, dir string, seed uint64, cfg *config.Config, ms []*memory)) {
	const hands = 2
	for hand := range uint64(hands) {
		t.Run(fmt.Sprint(hand), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for seed := hand; seed < seeds; seed += hands {
				cfg, ms := lived(seed)
				check(t, dir, seed, cfg, ms)
			}
		})
	}
}

// TestSieveEqualsJudgingHistories holds the sieve against judging all records of services that crashed, lost their answers and were restored.
func TestSieveEqualsJudgingHistories(t *testing.T) {
	t.Parallel()
	eachPast(t, 600, func(t *testing.T, dir string, seed uint64, cfg *config.Config, ms []*memory) {
		want := oracle(cfg, ms)
		got, err := pipeline(context.Background(), cfg, ms, dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("seed %d: the sieve says\n%s\njudging all says\n%s", seed, got, want)
		}
	})
}

// TestHealthyHistoriesShowNoSign: nothing in the stores of services in which nothing fails speaks of a restore.
func TestHealthyHistoriesShowNoSign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range uint64(400) {
		cfg, ms := sourcesOf(histories.GenerateHealthy(seed))
		var readers []sources.Reader
		for _, m := range ms {
			readers = append(readers, m)
		}
		res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range res.Manifest().States {
			if signs := s.Signs(nil); len(signs) > 0 {
				t.Errorf("seed %d: %+v", seed, signs)
			}
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
}
