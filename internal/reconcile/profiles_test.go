package reconcile

import (
	"slices"
	"strings"
	"testing"
)

// settings is what a provider block of the config can give.
var settings = []string{"dedup", "retention", "scope", "body_check", "remembers", "lookup", "lag", "history"}

func TestProfilesAreTheShippedOnes(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range Profiles {
		names = append(names, p.Name)
	}
	want := []string{"stripe-v1", "stripe-v2", "aws-ec2-regional", "aws-ec2-zonal", "adyen", "paypal", "square", "generic-dedup", "generic-lookup", "opaque"}
	if !slices.Equal(names, want) {
		t.Errorf("shipped: %v, want %v", names, want)
	}
}

func TestProfilesPromiseNothingUnsaid(t *testing.T) {
	t.Parallel()
	for _, p := range Profiles {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if p.Source == "" {
				t.Error("no source")
			}
			if (p.For > 0) != (p.Retention == RetentionExact || p.Retention == RetentionMinimum) {
				t.Errorf("retention kind %d for %s", p.Retention, p.For)
			}
			if p.Dedup && p.Retention == RetentionNone && !slices.Contains(p.Required, "retention") {
				t.Error("deduplicates for an unknown time, and does not ask for it")
			}
			if !p.Dedup && p.Retention != RetentionNone {
				t.Error("keeps keys that it does not deduplicate by")
			}
			for _, r := range p.Required {
				if !slices.Contains(settings, r) {
					t.Errorf("requires %q, which no provider block can give", r)
				}
			}
			if !slices.Contains([]string{"all", "success-only", "none"}, p.Remembers) || !slices.Contains([]string{"by-key", "by-reference", "none"}, p.Lookup) {
				t.Errorf("remembers %q, lookup %q", p.Remembers, p.Lookup)
			}
			for _, f := range p.Facts {
				if f.Says == "" || f.Source == "" || !slices.Contains(settings, f.Setting) {
					t.Errorf("fact without its source: %+v", f)
				}
			}
		})
	}
}

func TestProfileByName(t *testing.T) {
	t.Parallel()
	p, ok := ProfileByName("stripe-v1")
	if !ok || p.Retention != RetentionMinimum || p.For != day || !strings.Contains(p.Source, "2026-") {
		t.Errorf("stripe-v1 = %+v, %v", p, ok)
	}
	if _, ok := ProfileByName("stripe"); ok {
		t.Error("a name that is not shipped was found")
	}
}
