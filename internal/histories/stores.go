package histories

import (
	"maps"
	"slices"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// receipt is the service's memory of one key. Every write replaces the row whole, so that a backup may share it.
type receipt struct {
	state                                       reconcile.State
	gen                                         int64
	serial                                      int // of its row
	params                                      string
	effect                                      int64
	object                                      string
	created, locked, updated, done, lease, ends time.Duration
	wish                                        *wish
}

// row is a business row; rows are replaced, never changed.
type row struct {
	id      int64
	owner   Identity
	wish    *wish
	status  reconcile.Status
	object  string
	gen     int64
	created time.Duration
}

// object is what the provider made of one send.
type object struct {
	id      string
	owner   Identity
	wish    *wish
	outcome reconcile.Outcome
	minor   int64
	key     string // that the provider was sent
	at      time.Duration
	shows   time.Duration // when its log shows it
	lines   int
	twist   twist
	back    time.Duration // when it was paid back; 0: it was not
}

// twist is what one of the lines that tell of an object's one event says against the others.
type twist int

// The twists of a repetition.
const (
	straight    twist = iota
	otherAmount       // and nothing tells which of two amounts was charged
	otherEnd          // that it failed where it succeeded, or the other way round
)

// message is an outbox row.
type message struct {
	id        int64
	owner     Identity
	wish      *wish
	serial    int // of the receipt's row
	effect    int64
	created   time.Duration
	sent      time.Duration // 0: not marked
	confirmed time.Duration // 0: not confirmed
}

// database is what a backup of the service's own stores holds.
type database struct {
	receipts map[Identity]receipt
	rows     []row
	messages []message
	nextID   int64
	intents  []*intent     // in a backup only
	open     time.Duration // when the oldest transaction began that the backup does not hold
}

func (db *database) copy() database {
	return database{
		receipts: maps.Clone(db.receipts), rows: append([]row(nil), db.rows...),
		messages: append([]message(nil), db.messages...), nextID: db.nextID,
	}
}

// insert adds a row under the next id, or under the one after the highest where ids are handed out again.
func (s *sim) insert(q *request, gen int64, status reconcile.Status) int64 {
	id := s.db.nextID
	if s.svc.ReusesIDs {
		id = 1
		for i := range s.db.rows {
			id = max(id, s.db.rows[i].id+1)
		}
	}
	s.db.nextID = id + 1
	s.db.rows = append(s.db.rows, row{id: id, owner: q.id, wish: q.wish, status: status, gen: gen, created: s.written()})
	s.made = append(s.made, &making{owner: q.id, wish: q.wish, row: id, at: s.now})
	return id
}

// refuses reports whether the database takes no row of a wish: another that stands bears its number.
func (s *sim) refuses(w *wish) bool {
	return s.svc.Unique && slices.ContainsFunc(s.db.rows, func(r row) bool {
		return r.status == reconcile.StatusEffective && r.wish.number == w.number && !s.archived(&r)
	})
}

// archived reports whether a row was moved away by now.
func (s *sim) archived(r *row) bool {
	return s.svc.Archive && r.created+s.svc.Clocks.Service < s.now-keepRows
}

// setRow changes a row, where it still stands.
func (s *sim) setRow(id int64, owner Identity, change func(*row)) {
	for i := range s.db.rows {
		if r := &s.db.rows[i]; r.id == id && r.owner == owner {
			change(r)
		}
	}
}

// void undoes a row by the service's own hand: it no longer counts.
func (s *sim) void(id int64, owner Identity) {
	s.setRow(id, owner, func(r *row) { r.status = reconcile.StatusVoid })
	s.unmake(id, owner)
}

// unmake forgets the execution that made a row.
func (s *sim) unmake(id int64, owner Identity) {
	for _, m := range s.made {
		if m.row == id && m.owner == owner {
			m.undone = true
		}
	}
}

// making is one execution of one leg, kept apart from the stores: a restore takes rows away, not what happened.
type making struct {
	owner  Identity
	wish   *wish
	row    int64   // 0: the provider's leg
	object *object // nil: the local leg
	at     time.Duration
	undone bool
}

func (s *sim) countAll() map[Identity]Count {
	out := make(map[Identity]Count)
	for id := range s.ids {
		out[id] = Count{}
	}
	for _, m := range s.made {
		if !m.undone {
			out[m.owner] = out[m.owner].plus(m)
		}
	}
	return out
}

// wishCount counts what was executed for the latest wish behind an identity, under all its keys.
func (s *sim) wishCount(id Identity) Count {
	var c Count
	for _, m := range s.made {
		if !m.undone && m.wish == s.ids[id] {
			c = c.plus(m)
		}
	}
	return c
}

func (c Count) plus(m *making) Count {
	if m.row > 0 {
		c.Local++
	} else {
		c.Remote++
	}
	return c
}
