package histories

import (
	"math/rand/v2"
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Identity names an action of a history.
type Identity struct{ Tenant, Key string }

// Count is how often each leg was executed: void and deleted rows and failed charges are not counted, what a restore took away is.
type Count struct{ Local, Remote int }

// Truth is what really happened to one identity.
type Truth struct {
	Done  Count // by the time of the scan
	Later Count // what whatever is still running will add by itself
}

// History is one service's past: what a scan would read of it, and the truth.
type History struct {
	Service Service
	Records []*reconcile.Record
	Book    reconcile.Book
	World   reconcile.World
	Truth   map[Identity]Truth
	Owner   map[*reconcile.Record]Identity // whose action left a record
	Earlier []Replayed                     // replays that were handed out before the scan; see GenerateReplayed

	Faults []Fault             // what is wrong, whether or not the stores tell
	Safe   []Identity          // what may be sent again, as the stores tell for certain
	Ruled  []Identity          // whose retry a rule of the database stops, as the stores tell for certain
	Unseen []*reconcile.Record // what stands in a store, or is about to, and a scan does not show

	tape    []int // what was drawn, so that Replay can live the same past again
	replays bool
	healthy bool
	wishes  map[Identity]*wish
	left    map[Identity]Count // what is executed once everything has come to rest
}

// draw picks one of n.
type draw func(n int) int

// drawing is what a seed draws for one kind of history.
func drawing(seed, kind uint64) draw {
	return rand.New(rand.NewPCG(seed, kind)).IntN // the same seed must make the same history
}

// Generate makes the history of a seed.
func Generate(seed uint64) *History {
	return From(drawing(seed, 7))
}

// GenerateHealthy makes the history of a seed in which nothing fails: clients, requests and stores of every shape, in good order.
func GenerateHealthy(seed uint64) *History {
	h := &History{healthy: true}
	h.from(drawing(seed, 13))
	return h
}

// From makes a history from choices: pick(n) picks one of n, and 0 is always the healthy one. The same choices make the same history.
func From(pick func(n int) int) *History {
	h := &History{}
	h.from(pick)
	return h
}

func (h *History) from(pick func(n int) int) {
	s := newSim(func(n int) int {
		k := pick(n)
		h.tape = append(h.tape, k)
		return k
	}, h.healthy)
	s.replaying = h.replays
	s.live()
	h.Service, h.Book = s.svc, reconcile.Book{s.svc.contract()}
	h.World = s.world()
	h.Records, h.Unseen, h.Owner = s.records()
	h.noteRefs()
	h.Earlier, h.wishes = s.toldReplays(), s.ids
	h.Truth, h.left = make(map[Identity]Truth), make(map[Identity]Count)
	done, sight := s.countAll(), s.sight(h)
	s.drain()
	for id, total := range s.countAll() {
		was := done[id]
		h.Truth[id] = Truth{Done: was, Later: Count{Local: total.Local - was.Local, Remote: total.Remote - was.Remote}}
		h.left[id] = s.wishCount(id)
	}
	h.Faults, h.Safe, h.Ruled = sight.faults(), sight.safe(), sight.ruled()
}

// noteRefs marks the sources of which no record carries the id by which others point at it, and an outbox of which no record was sent, as a reader of them would.
func (h *History) noteRefs() {
	for i := range h.World.Sources {
		f := &h.World.Sources[i]
		f.NoOwnRef = !slices.ContainsFunc(h.Records, func(r *reconcile.Record) bool {
			return r.Source == f.Name && (r.EffectID.Known() || r.ObjectID.Known())
		})
		f.SentGone = f.Role == reconcile.RoleOutbox && !slices.ContainsFunc(h.Records, func(r *reconcile.Record) bool {
			return r.Source == f.Name && r.Sent != reconcile.Unsent
		})
	}
}

// Replay lives the same past again and lets the service handle the action once more, some time after the scan, undisturbed, beside whatever is still
// running. It returns how often the wish behind the identity has then been executed, under whatever key, without and with that request.
func (h *History) Replay(id Identity, after time.Duration) (without, with Count) {
	tape := h.tape
	s := newSim(func(int) int {
		if len(tape) == 0 {
			return 0
		}
		k := tape[0]
		tape = tape[1:]
		return k
	}, h.healthy)
	s.replaying = h.replays
	s.live()
	s.replay(id, after)
	s.drain()
	return h.left[id], s.wishCount(id)
}
