package config

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// Difference is a field in which a contract says something else than a preset suggests.
type Difference struct{ Field, Contract, Preset string }

// Differs lists where a contract says something else of receipts, or of a provider, than the preset suggests. What the preset does not speak of is the
// contract's alone, and so is what no store decides.
func (p *Preset) Differs(c *reconcile.Contract) []Difference {
	var out []Difference
	for _, f := range suggested {
		if !slices.Contains(p.Suggests, f.name) || !slices.Contains(f.of, p.Source.Role) {
			continue
		}
		if mine, theirs := f.say(c), f.say(p.Contract); mine != theirs {
			out = append(out, Difference{f.name, mine, theirs})
		}
	}
	return out
}

// suggested are the fields that a store decides, and how each is said.
var suggested = []struct {
	name string
	of   []reconcile.Role
	say  func(*reconcile.Contract) string
}{
	{"scope", []reconcile.Role{reconcile.RoleReceipt}, func(c *reconcile.Contract) string { return "[" + strings.Join(c.Scope, ", ") + "]" }},
	{"expiry", []reconcile.Role{reconcile.RoleReceipt}, func(c *reconcile.Contract) string {
		at, by := "exclusive", "read-check"
		if c.Expiry.Inclusive {
			at = "inclusive"
		}
		if c.Expiry.ByReaper {
			by = "reaper"
		}
		return "{at: " + at + ", by: " + by + "}"
	}},
	{"retention", []reconcile.Role{reconcile.RoleReceipt}, func(c *reconcile.Contract) string { return spanWord(c.Retention) }},
	{"lease", []reconcile.Role{reconcile.RoleReceipt}, func(c *reconcile.Contract) string { return spanWord(c.Lease) }},
	{"key", []reconcile.Role{reconcile.RoleReceipt}, func(c *reconcile.Contract) string {
		if c.Key == reconcile.KeyOptional {
			return "optional"
		}
		return "required"
	}},
	{"provider", []reconcile.Role{reconcile.RoleProvider}, func(c *reconcile.Contract) string {
		if c.Provider == nil {
			return "none"
		}
		return c.Provider.Name
	}},
}

func spanWord(s reconcile.Span) string {
	if !s.Valid {
		return "none"
	}
	return s.D.String()
}
