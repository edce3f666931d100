package histories

import "time"

// life is when anything was done for an identity, whether or not a record tells of it.
type life struct {
	first, last time.Duration
	leased      time.Duration // the end of the last lease that anybody had on it
	ends        time.Duration // when its first receipt's life ended; 0: it never had one
}

func (s *sim) life(id Identity) *life {
	l := s.lifes[id]
	if l == nil {
		l = &life{first: s.now}
		s.lifes[id] = l
	}
	return l
}

func (l *life) see(now time.Duration) { l.last = max(l.last, now) }

func (l *life) remember(r receipt) {
	l.leased = max(l.leased, r.lease)
	if l.ends == 0 {
		l.ends = r.ends
	}
}
