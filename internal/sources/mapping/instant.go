package mapping

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

// clock reads a time as its map's `as` says: a count of unit nanoseconds, a Go layout, or RFC 3339 text.
type clock struct {
	unit   int64 // nanoseconds of one unit of a count, 0 for text
	layout string
	zone   *time.Location
	native bool // `as` is omitted: a bare integer is refused with a hint
	zoned  bool // zone is given without as: what a database keeps as a timestamp without zone is read in it; what names its offset keeps that
	name   string
	open   bool  // the layout leaves the zone open
	read   int64 // how many times this spelling has read
	twice  int64 // of these, how many clocks of the zone showed twice,
	never  int64 // and how many they never showed
	blur   time.Duration
	daymon bool   // day and month are two numbers, of which the layout of somebody else says which comes first
	doubt  bool   // some time may be another day: its day and month could change places
	sure   bool   // some time could not
	or     *clock // the spelling that is tried next
}

var units = map[string]int64{"unix-s": 1e9, "unix-ms": 1e6, "unix-us": 1e3, "unix-ns": 1}

// clock returns the spellings of a field's times, in the order in which they are tried.
func (f *Field) clock() (*clock, error) {
	first, err := f.spelling(f.As)
	if err != nil {
		return nil, err
	}
	for at, i := first, 0; i < len(f.Or); at, i = at.or, i+1 {
		if at.or, err = f.spelling(f.Or[i]); err != nil {
			return nil, err
		}
	}
	return first, nil
}

// spelling returns the clock of one spelling.
func (f *Field) spelling(as string) (*clock, error) {
	c := &clock{zone: time.UTC, name: cmp.Or(as, "rfc3339")}
	if f.Zone != "" && f.ZoneFrom != "" {
		return nil, f.at("keep one of them", "the zone comes from two places")
	}
	if f.Zone != "" {
		zone, err := time.LoadLocation(f.Zone)
		if err != nil || strings.EqualFold(f.Zone, "local") {
			return nil, f.at("use a name like Europe/Zurich or UTC; abbreviations are ambiguous", "%q is not a time zone", f.Zone)
		}
		c.zone = zone
	}
	switch {
	case as == "" || as == "rfc3339":
		c.native = as == ""
		if c.zoned = c.native && f.Zone+f.ZoneFrom != ""; c.zoned {
			return c, nil
		}
	case units[as] > 0:
		c.unit = units[as]
	default:
		c.layout, c.open, c.daymon = as, !strings.Contains(as, "07") && !strings.HasSuffix(as, "Z"), f.Shipped && dayAndMonth(as)
		return c, f.checkLayout(as)
	}
	if f.Zone+f.ZoneFrom != "" && len(f.Or) == 0 {
		return nil, f.at("leave zone out, or give a Go layout", "zone has no meaning for a time that names its own")
	}
	return c, nil
}

// dayAndMonth reports whether a layout tells day and month as numbers before the year: in the order of some country.
func dayAndMonth(layout string) bool {
	day, month, year := strings.Index(layout, "02"), strings.Index(layout, "01"), strings.Index(layout, "2006")
	return day >= 0 && month >= 0 && year > max(day, month)
}

// checkLayout refuses a text that is no Go layout, that loses the day, or that leaves the zone open.
func (f *Field) checkLayout(as string) error {
	const hint = "use unix-s, unix-ms, unix-us, unix-ns, rfc3339, or a Go layout like 2006-01-02 15:04:05 with a zone"
	probe := time.Date(2021, 11, 23, 17, 48, 39, 0, time.UTC)
	back, err := time.Parse(as, probe.Format(as))
	if err != nil || !back.Truncate(24*time.Hour).Equal(probe.Truncate(24*time.Hour)) {
		return f.at(hint, "%q says no date", as)
	}
	if strings.Contains(as, "MST") {
		return f.at("use a numeric offset, or leave it out and give a zone", "%q reads zone abbreviations, which are ambiguous", as)
	}
	if open := !strings.Contains(as, "07") && !strings.HasSuffix(as, "Z"); open && f.Zone+f.ZoneFrom == "" {
		return f.at("add zone: UTC or zone: Europe/Zurich, or {from: COLUMN}", "%q leaves the zone open", as)
	}
	return nil
}

const (
	timeRange  = "lies outside the years 1678 to 2261"
	timeFormat = "is not RFC 3339"
)

// count reads an integer count of units.
func (c *clock) count(n int64) (ns int64, why, hint string) {
	if n > math.MaxInt64/c.unit || n < math.MinInt64/c.unit {
		return 0, timeRange, "the value looks like " + LikelyUnit(n)
	}
	return n * c.unit, "", ""
}

// text reads a time from text by the first spelling that fits, in the zone where the text gives none. why is "" on success; else it is what the first spelling
// says.
func (c *clock) text(b []byte, in *place) (ns int64, why, hint string) {
	for at := c; at != nil; at = at.or {
		n, no, what := at.one(b, in)
		if no == "" {
			at.read++
			c.blur = at.blur
			return n, "", ""
		}
		if at == c {
			why, hint = no, what
		}
	}
	if c.or != nil && why != timeRange {
		why = "has none of the spellings that as gives"
	}
	return 0, why, hint
}

// one reads a time by this spelling alone.
func (c *clock) one(b []byte, in *place) (ns int64, why, hint string) {
	zone := c.zone
	if in != nil {
		zone = in.zone
	}
	c.blur = 0
	switch {
	case c.unit > 0:
		return c.decimal(b)
	case c.layout != "":
		t, err := time.Parse(c.layout, string(b))
		if err != nil {
			return 0, "does not have the layout that as gives", ""
		}
		if c.daymon {
			c.sure, c.doubt = c.sure || t.Day() > 12, c.doubt || t.Day() != int(t.Month())
		}
		if c.open {
			t = c.wall(t, zone)
		}
		return in.within(t)
	}
	var t time.Time
	if err := t.UnmarshalText(b); err == nil {
		return within(t)
	}
	if c.zoned {
		if t, local, ok := written(b); ok && local {
			return in.within(c.wall(t, zone))
		} else if ok {
			return within(t)
		}
	}
	why, hint = diagnose(b)
	return 0, why, hint
}

// wall is when clocks of a zone showed a time, which is given as if it were UTC. Where they are put back they show an hour twice, and where they are put forward
// they never show one: nothing tells which instant was meant. Then it is the earlier of the two that may have been, and blur is how much later the other is.
func (c *clock) wall(shown time.Time, zone *time.Location) time.Time {
	if zone == time.UTC {
		return shown
	}
	const day = 24 * time.Hour // farther than any offset, nearer than the next time that clocks are changed
	at := func(near time.Duration) (t time.Time, holds bool) {
		_, offset := shown.Add(near).In(zone).Zone()
		t = shown.Add(-time.Duration(offset) * time.Second).In(zone)
		_, then := t.Zone()
		return t, then == offset
	}
	before, was := at(-day)
	after, is := at(day)
	switch {
	case before.Equal(after), was && !is:
		return before
	case is && !was:
		return after
	case was && is:
		c.twice++
	default:
		c.never++
	}
	if c.blur = after.Sub(before).Abs(); after.Before(before) {
		return after
	}
	return before
}

// written reads a time as databases and their exports write it: as clocks showed it, or in the zone that it names by an offset.
func written(b []byte) (_ time.Time, local, ok bool) {
	if layout := zoneless(b); layout != "" {
		t, err := time.Parse(layout, string(b))
		return t, true, err == nil
	}
	for _, layout := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, string(b)); err == nil && len(b) <= longestTime {
			return t, false, true
		}
	}
	return time.Time{}, false, false
}

// longestTime is longer than any time that a database writes.
const longestTime = 40

// zoneless is the layout of a text that is a time without a zone, "" when it is none.
func zoneless(b []byte) string {
	if len(b) > longestTime {
		return ""
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if _, err := time.Parse(layout, string(b)); err == nil {
			return layout
		}
	}
	return ""
}

func within(t time.Time) (ns int64, why, hint string) {
	if y := t.UTC().Year(); y < 1678 || y > 2261 {
		return 0, timeRange, ""
	}
	return t.UnixNano(), "", ""
}

// decimal reads a count that may have a fraction, such as 1761000000.123; what is finer than a nanosecond is cut off.
func (c *clock) decimal(b []byte) (ns int64, why, hint string) {
	whole, fraction, point := bytes.Cut(b, []byte("."))
	n, bad := parseDecimal(whole, 0)
	if bad != "" || point && len(fraction) == 0 {
		return 0, "is no count of " + strings.TrimPrefix(unitName(c.unit), "unix-"), ""
	}
	if ns, why, hint = c.count(n); why != "" {
		return 0, why, hint
	}
	negative := len(whole) > 0 && whole[0] == '-'
	for unit := c.unit / 10; len(fraction) > 0; unit /= 10 {
		d := fraction[0]
		if d < '0' || d > '9' {
			return 0, "is no count of " + strings.TrimPrefix(unitName(c.unit), "unix-"), ""
		}
		part := int64(d-'0') * unit
		if negative {
			part = -part
		}
		if ns > 0 && ns+part < 0 || ns < 0 && ns+part > 0 && part < 0 {
			return 0, timeRange, ""
		}
		ns += part
		fraction = fraction[1:]
	}
	return ns, "", ""
}

func unitName(unit int64) string {
	for name, u := range units {
		if u == unit {
			return name
		}
	}
	return "unix-s"
}

// LikelyUnit guesses what a bare integer counts, for a hint or a draft only: each unit's range holds the years 1973 to 5138.
func LikelyUnit(n int64) string {
	switch {
	case n < 1e11:
		return "unix-s"
	case n < 1e14:
		return "unix-ms"
	case n < 1e17:
		return "unix-us"
	}
	return "unix-ns"
}

// diagnose says why a text is not RFC 3339 and what as would read it.
func diagnose(b []byte) (why, hint string) {
	if n, bad := parseDecimal(b, 0); bad == "" {
		return "is a bare number", "add as: " + LikelyUnit(n)
	}
	if layout := zoneless(b); layout != "" {
		return "has no zone", "add zone: UTC, or the zone that it was written in"
	}
	if text := string(b); text == "infinity" || text == "-infinity" {
		return "has no end", "read it by a query that puts a time in its place, like least(expires_at, '2200-01-01')"
	}
	return timeFormat, "give its Go layout in as, e.g. 2006-01-02 15:04:05Z07:00"
}

// instant compiles a time.
func (m *Mapper) instant(f *Field, to func(*reconcile.Record) *reconcile.Instant) error {
	e, err := m.expr(f)
	if err != nil {
		return err
	}
	if e.words, err = compileWords(f, textWord, nil); err != nil {
		return err
	}
	c, err := f.clock()
	if err != nil {
		return err
	}
	z, err := m.zone(f)
	if err != nil {
		return err
	}
	m.times = true
	m.clocks = append(m.clocks, namedClock{f.Name, c})
	dst := to(&m.rec)
	m.add(func(cells []rows.Cell) *Unreadable {
		var bad *Unreadable
		*dst, bad = m.readInstant(e, c, z, cells)
		return bad
	})
	return nil
}

func (m *Mapper) readInstant(e *expr, c *clock, z *zoneExpr, cells []rows.Cell) (reconcile.Instant, *Unreadable) {
	if e.plain && c.unit > 0 && cells[e.at].Kind == rows.Int {
		if ns, why, _ := c.count(cells[e.at].Num); why == "" {
			c.read++
			return reconcile.AtUnix(ns), nil
		}
	}
	b, known, bad := m.evalWords(e, cells)
	if bad != nil || !known {
		return reconcile.Instant{}, bad
	}
	in, bad := m.placeOf(z, cells)
	if bad != nil {
		return reconcile.Instant{}, bad
	}
	ns, why, hint := c.text(b, in)
	if why != "" {
		bad := e.unreadable(b, why)
		bad.Hint = hint
		return reconcile.Instant{}, bad
	}
	t := reconcile.AtUnix(ns)
	if c.blur > 0 {
		m.rec.Blur = max(m.rec.Blur, c.blur)
		if slices.Contains(ends, e.name) {
			t = t.Add(c.blur)
		}
	}
	return t, nil
}

// ends are the times at which something was done or is over: of two that may have been, these are taken for the later one, as a beginning is for the earlier.
var ends = []string{"updated_at", "completed_at", "locked_at", "lease_until", "confirmed_at", "due_at"}
