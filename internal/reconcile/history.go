package reconcile

// markHistory marks what a later record of the same identity or object supersedes: receipt lines of one source but the latest by generation, update
// time and finality, and repetitions of one effect, provider event or message.
func markHistory(c *Contract, ev []Evidence) {
	if len(ev) < 2 {
		return
	}
	lines := make(map[string]*receiptLines)
	first := make(map[string]bool)
	for i := range ev {
		r := ev[i].Record
		if r.Role == RoleReceipt {
			if lines[r.Source] == nil {
				lines[r.Source] = newReceiptLines()
			}
			lines[r.Source].add(lineOf(c, r, i))
			continue
		}
		if name, ok := repetition(r); ok {
			ev[i].History = first[name]
			first[name] = true
		}
	}
	for i := range ev {
		if r := ev[i].Record; r.Role == RoleReceipt {
			ev[i].History = lines[r.Source].superseded(lineOf(c, r, i))
		}
	}
}

// repetition names what a record repeats: records of one name say one thing once. false where nothing tells.
func repetition(r *Record) (string, bool) {
	name := r.Role.String() + "\x00" + r.Source + "\x00"
	switch r.Role {
	case RoleEffect:
		return name + string(recordText(r)), r.EffectID.known
	case RoleProvider:
		return name + string(recordText(r)), r.EventID.known
	case RoleOutbox:
		return name + r.MessageID.String(), r.MessageID.known
	case RoleReceipt, RoleIntent:
	}
	return "", false
}

// line is what orders the receipt lines of one source.
type line struct {
	generation Number
	at         Instant
	finality   int
	index      int
}

func lineOf(c *Contract, r *Record, index int) line {
	return line{r.Generation, Latest(r.UpdatedAt, r.CompletedAt, r.Time()), finality(c.StateOf(r)), index}
}

// newerThan reports whether a takes the place of b: by generation where both tell it, else by time where both tell it, else by finality; of equals the
// first stands.
func (a line) newerThan(b line) bool {
	switch {
	case a.generation.Valid && b.generation.Valid && a.generation.N != b.generation.N:
		return a.generation.N > b.generation.N
	case a.at.known && b.at.known && a.at.ns != b.at.ns:
		return a.at.ns > b.at.ns
	case a.finality != b.finality:
		return a.finality > b.finality
	}
	return a.index < b.index
}

// receiptLines finds whether any of many lines is newer than a given one, without comparing it with each. Lines that tell a generation, or a time, and lines
// that do not are compared by different things, so the order is no chain: what is kept is the best line of each generation, of each time, and of both.
type receiptLines struct {
	newest Number // the highest generation
	latest map[Number]Instant
	best   map[lineClass]line
}

// lineClass is lines of one generation and time; an unknown one stands for lines that do not tell it, any for all.
type lineClass struct {
	generation    Number
	at            Instant
	anyGeneration bool
	anyTime       bool
}

func newReceiptLines() *receiptLines {
	return &receiptLines{latest: make(map[Number]Instant), best: make(map[lineClass]line)}
}

func (ls *receiptLines) add(l line) {
	if l.generation.Valid && (!ls.newest.Valid || l.generation.N > ls.newest.N) {
		ls.newest = l.generation
	}
	ls.latest[l.generation] = Latest(ls.latest[l.generation], l.at)
	ls.latest[anyGeneration] = Latest(ls.latest[anyGeneration], l.at)
	for _, class := range []lineClass{
		{generation: l.generation, at: l.at},
		{generation: l.generation, anyTime: true},
		{at: l.at, anyGeneration: true},
		{anyGeneration: true, anyTime: true},
	} {
		if have, ok := ls.best[class]; !ok || l.finality > have.finality || (l.finality == have.finality && l.index < have.index) {
			ls.best[class] = l
		}
	}
}

// anyGeneration stands in latest for lines of every generation: no record tells it, since an unknown number is zero.
var anyGeneration = Number{N: 1}

func (ls *receiptLines) superseded(l line) bool {
	if l.generation.Valid && ls.newest.N > l.generation.N {
		return true
	}
	classes, generations := []lineClass{{anyGeneration: true}}, []Number{anyGeneration}
	if l.generation.Valid { // those of another generation are older
		classes, generations = []lineClass{{generation: l.generation}, {}}, []Number{l.generation, {}}
	}
	for _, g := range generations {
		if l.at.Before(ls.latest[g]) {
			return true
		}
	}
	for _, class := range classes {
		times := []lineClass{class, class}
		times[0].at, times[1].anyTime = l.at, true
		if l.at.known { // those of another time are older
			times[1].anyTime = false
		}
		for _, t := range times {
			if b, ok := ls.best[t]; ok && b.newerThan(l) {
				return true
			}
		}
	}
	return false
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
