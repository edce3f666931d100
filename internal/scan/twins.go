package scan

import (
	"cmp"
	"context"
	"slices"
)

// twinRow is a row whose request some suspect's may equal.
type twinRow struct {
	tw   uint32
	t    uint32
	node uint64
	pos  uint64
	src  uint16
}

// twinLook gathers, in a pass over all rows, those that ask for what some suspect asks for.
type twinLook struct {
	s    *sieve
	mine map[uint64]bool // suspects' nodes
	rows map[uint32][]twinRow
}

func (s *sieve) twinLook(ctx context.Context) (*twinLook, error) {
	l := &twinLook{s: s, mine: make(map[uint64]bool), rows: make(map[uint32][]twinRow)}
	return l, s.eachSuspect(ctx, func(e suspect) { l.mine[e.node] = true })
}

func (l *twinLook) see(g group) error {
	for i := range g.rows {
		t := &g.rows[i]
		if t.tw == 0 || !l.s.twins.repeated(t.tw, 0) {
			continue
		}
		rows := l.rows[t.tw]
		if len(rows) >= perTwin && !l.mine[g.node] {
			continue
		}
		l.rows[t.tw] = append(rows, twinRow{tw: t.tw, t: t.t, node: g.node, pos: t.pos, src: t.src})
	}
	return nil
}

// seatTwins adds, to each suspect, rows of other actions that ask for the same: whoever wants to replay it must know of them. They come as guests: they
// are counted where they belong.
func (s *sieve) seatTwins(ctx context.Context, l *twinLook) error {
	hosts := make(map[uint64][]uint64) // group → suspects that it is a guest of
	for _, rows := range l.rows {
		s.invite(rows, l.mine, hosts)
	}
	if len(hosts) == 0 {
		return nil
	}
	return s.each(ctx, func(g group) error { return s.seat(g, hosts) })
}

// seat writes a group's rows as guests of its hosts.
func (s *sieve) seat(g group, hosts map[uint64][]uint64) error {
	for _, host := range hosts[s.unions.root(g.node)] {
		for i := range g.rows[:min(len(g.rows), guestRows)] {
			if err := s.write(suspect{node: host, src: g.rows[i].src, pos: g.rows[i].pos, guest: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sieve) eachSuspect(ctx context.Context, f func(suspect)) error {
	if err := s.w.done(); err != nil {
		return err
	}
	for i := range s.out.parts {
		if err := s.out.stream(i, streamBlock, func(b []byte) error {
			var e suspect
			for ; len(b) > 0; b = b[suspectSize:] {
				e.get(b)
				f(e)
			}
			return ctx.Err()
		}); err != nil {
			return err
		}
	}
	return nil
}

// invitesPerSuspect is how many rows of other actions a suspect is judged beside: one twin refuses a replay, and a person reads no more than a few.
const invitesPerSuspect = 16

// guestRows bounds what a guest brings: enough to say who it is and when it began.
const guestRows = 64

// invite chooses, for each suspect among rows of one request, the groups nearest in time as its guests.
func (s *sieve) invite(rows []twinRow, mine map[uint64]bool, hosts map[uint64][]uint64) {
	slices.SortFunc(rows, func(a, b twinRow) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.node, b.node), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	done := make(map[uint64]bool)
	for i := range rows {
		host := rows[i].node
		if !mine[host] || done[host] {
			continue
		}
		done[host] = true
		for n, lo, hi := 0, i-1, i+1; n < invitesPerSuspect && (lo >= 0 || hi < len(rows)); n++ {
			var guest twinRow
			if hi >= len(rows) || (lo >= 0 && rows[i].t-rows[lo].t <= rows[hi].t-rows[i].t) {
				guest, lo = rows[lo], lo-1
			} else {
				guest, hi = rows[hi], hi+1
			}
			root := s.unions.root(guest.node)
			if root == s.unions.root(host) || slices.Contains(hosts[root], host) {
				n--
				continue
			}
			hosts[root] = append(hosts[root], host)
		}
	}
}
