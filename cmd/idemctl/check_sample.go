package main

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/text"
)

// sampled is how many records of a source are looked at for samples.
const sampled = 200

// samples keeps the first value of each fact, as it was understood and so that it tells no customer's data: words, times and numbers as they are, of texts the
// shape, of payloads their size.
type samples struct {
	seen int
	of   map[string]string
}

func (s *samples) see(r *reconcile.Record) {
	if s.seen++; s.seen > sampled {
		return
	}
	for _, f := range reconcile.FactsOf(r) {
		if _, have := s.of[f.Name]; !have {
			s.of[f.Name] = sample(f)
		}
	}
}

func sample(f reconcile.Fact) string {
	switch name := f.Name; {
	case reconcile.PayloadFact(name), name == "fingerprint":
		return text.Mask(f.Value.Bytes())
	case strings.HasSuffix(name, "_at"), strings.HasSuffix(name, ".at"), name == "lease_until", name == "state", name == "status", name == "outcome", name == "sent", name == "phase",
		name == "response_status", strings.HasSuffix(name, ".outcome"):
		return text.Truncate(text.Safe(f.Value.Bytes()), 40)
	}
	return shape(f.Value.Bytes(), f.Name == "operation")
}

// shape shows what a text looks like: letters as a and A, digits as 9, all else as it is. The letters of a name of the service's own are kept.
func shape(b []byte, own bool) string {
	const longest = 24
	return text.Truncate(text.SafeString(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '9'
		case own:
		case unicode.IsUpper(r):
			return 'A'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, string(b))), longest)
}

// ofField is the sample of a mapped fact, whose records may call it otherwise.
func (s *samples) ofField(fact string) string {
	for _, name := range []string{fact, map[string]string{"state": "sent", "status": "sent", "outcome": "attempts.0.outcome", "target": "attempts.0.target"}[fact]} {
		if v, ok := s.of[name]; ok && name != "" {
			return v
		}
	}
	return ""
}

// differences says where the contracts differ from what the presets of the sources suggest.
func differences(cfg *config.Config, i int) ([]report.PresetDifference, error) {
	s := &cfg.Sources[i]
	if s.Preset == "" {
		return nil, nil
	}
	p, err := config.ReadPreset(s.Preset)
	if err != nil {
		return nil, err
	}
	var out []report.PresetDifference
	for _, c := range cfg.Contracts {
		if !gives(s, c) {
			continue
		}
		for _, d := range p.Differs(c) {
			out = append(out, report.PresetDifference{Contract: c.Name, Field: d.Field, Declared: d.Contract, Suggested: d.Preset})
		}
	}
	return out, nil
}

// gives reports whether a source may hold records of a contract: where its map names its operations, only of those that govern one.
func gives(s *sources.Spec, c *reconcile.Contract) bool {
	i := slices.IndexFunc(s.Map, func(f sources.Field) bool { return f.Name == "operation" })
	if i < 0 || s.Map[i].Const == nil && len(s.Map[i].Words) == 0 {
		return true
	}
	named := slices.Collect(maps.Values(s.Map[i].Words))
	if s.Map[i].Const != nil {
		named = append(named, *s.Map[i].Const)
	}
	return slices.ContainsFunc(named, func(operation string) bool {
		_, alias := c.Aliases[operation]
		return alias || c.Governs([]byte(operation))
	})
}
