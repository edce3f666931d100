package reconcile

import "bytes"

// markHistory marks what a later record of the same identity or object supersedes: receipt lines of one source but the latest by generation, update
// time and finality, and repetitions of one effect or provider event.
func markHistory(c *Contract, ev []Evidence) {
	for i := range ev {
		for k := range ev {
			if i != k && supersedes(c, ev[k].Record, ev[i].Record, k < i) {
				ev[i].History = true
				break
			}
		}
	}
}

// supersedes reports whether later takes the place of r; tie is how equals are ordered.
func supersedes(c *Contract, later, r *Record, tie bool) bool {
	if later.Role != r.Role || later.Source != r.Source {
		return false
	}
	switch r.Role {
	case RoleReceipt:
		return newerReceipt(c, later, r, tie)
	case RoleEffect:
		return later.EffectID.Equal(r.EffectID) && tie && bytes.Equal(recordText(later), recordText(r))
	case RoleProvider:
		return later.EventID.Equal(r.EventID) && tie && bytes.Equal(recordText(later), recordText(r))
	case RoleOutbox:
		return later.MessageID.Equal(r.MessageID) && tie
	case RoleIntent:
	}
	return false
}

func newerReceipt(c *Contract, a, b *Record, tie bool) bool {
	if a.Generation.Valid && b.Generation.Valid && a.Generation.N != b.Generation.N {
		return a.Generation.N > b.Generation.N
	}
	x, y := Latest(a.UpdatedAt, a.CompletedAt, a.Time()), Latest(b.UpdatedAt, b.CompletedAt, b.Time())
	if x.known && y.known && x.ns != y.ns {
		return x.ns > y.ns
	}
	if f, g := finality(c.StateOf(a)), finality(c.StateOf(b)); f != g {
		return f > g
	}
	return tie
}

func finality(s State) int {
	switch s {
	case StateCompleted:
		return 4
	case StateFailedFinal:
		return 3
	case StateFailedRetryable:
		return 2
	case StateUnknown:
		return 1
	case StateInProgress:
	}
	return 0
}
