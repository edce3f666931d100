package mapping

import (
	"strconv"
	"strings"
	"time"

	"example.com/idemctl/internal/sources/rows"
)

// ZoneTable names the version of the table of abbreviations.
const ZoneTable = "abbreviations of one meaning, 2026-11; AMT, AST, BST, CST, GST, IST, PST of the Philippines and SST have several and are not in it"

// abbreviation is what a zone's abbreviation means: an offset, and a place whose clocks it is that of. A time at which that place calls its clocks otherwise is
// refused: then the abbreviation names another place, or is wrong by an hour.
type abbreviation struct {
	hours, minutes int
	place          string
}

var abbreviations = map[string]abbreviation{
	"UTC": {place: "UTC"}, "GMT": {place: "Etc/GMT"}, "Z": {place: "UTC"},
	"PST": {hours: -8, place: "America/Los_Angeles"}, "PDT": {hours: -7, place: "America/Los_Angeles"},
	"MST": {hours: -7, place: "America/Denver"}, "MDT": {hours: -6, place: "America/Denver"},
	"CDT": {hours: -5, place: "America/Chicago"},
	"EST": {hours: -5, place: "America/New_York"}, "EDT": {hours: -4, place: "America/New_York"},
	"AKST": {hours: -9, place: "America/Anchorage"}, "AKDT": {hours: -8, place: "America/Anchorage"}, "HST": {hours: -10, place: "Pacific/Honolulu"},
	"WET": {place: "Europe/Lisbon"}, "WEST": {hours: 1, place: "Europe/Lisbon"},
	"CET": {hours: 1, place: "Europe/Paris"}, "CEST": {hours: 2, place: "Europe/Paris"},
	"EET": {hours: 2, place: "Europe/Athens"}, "EEST": {hours: 3, place: "Europe/Athens"}, "MSK": {hours: 3, place: "Europe/Moscow"},
	"SAST": {hours: 2, place: "Africa/Johannesburg"},
	"HKT":  {hours: 8, place: "Asia/Hong_Kong"}, "JST": {hours: 9, place: "Asia/Tokyo"}, "KST": {hours: 9, place: "Asia/Seoul"},
	"AEST": {hours: 10, place: "Australia/Sydney"}, "AEDT": {hours: 11, place: "Australia/Sydney"},
	"ACST": {hours: 9, minutes: 30, place: "Australia/Adelaide"}, "ACDT": {hours: 10, minutes: 30, place: "Australia/Adelaide"}, "AWST": {hours: 8, place: "Australia/Perth"},
	"NZST": {hours: 12, place: "Pacific/Auckland"}, "NZDT": {hours: 13, place: "Pacific/Auckland"},
	"SGT": {hours: 8, place: "Asia/Singapore"},
}

// seconds is the offset from UTC.
func (a abbreviation) seconds() int {
	if a.hours < 0 {
		return a.hours*3600 - a.minutes*60
	}
	return a.hours*3600 + a.minutes*60
}

// zoneExpr is the column that gives a time's zone.
type zoneExpr struct {
	at    *expr
	known map[string]*place
}

// place is a zone as a column named it; check, where it is set, is the place whose clocks must have that offset then.
type place struct {
	name  string
	zone  *time.Location
	check *time.Location
}

const hintZone = "name it: zone: {from: COLUMN, words: {IST: Asia/Kolkata}}; names like Europe/Zurich, offsets like +01:00 and the abbreviations of docs/sources.md are known"

// zone compiles the column that a time's zone comes from; there is none where times give their own.
func (m *Mapper) zone(f *Field) (*zoneExpr, error) {
	if f.ZoneFrom == "" {
		return nil, nil
	}
	e, err := m.column(f, f.ZoneFrom)
	if err != nil {
		return nil, err
	}
	e.name = f.Name + ".zone"
	m.tables = append(m.tables, f.Name+": "+ZoneTable)
	z := &zoneExpr{at: e, known: map[string]*place{}}
	for from, to := range f.ZoneWords {
		p := zoneNamed(to)
		if p == nil {
			return nil, f.at("use a name like Europe/Zurich or an offset like +01:00", "%q is not a time zone", to)
		}
		z.known[from] = p
	}
	return z, nil
}

// placeOf reads a row's zone; nil where the map names no column for it. A row without a zone has no time.
func (m *Mapper) placeOf(z *zoneExpr, cells []rows.Cell) (*place, *Unreadable) {
	if z == nil {
		return nil, nil
	}
	b, known, bad := m.eval(z.at, cells)
	if bad != nil {
		return nil, bad
	}
	if !known {
		return nil, z.at.unreadable(nil, "is null, and the time does not give its zone")
	}
	if p, ok := z.known[string(b)]; ok {
		return p, nil
	}
	p := zoneNamed(string(b))
	if p == nil {
		return nil, hinted(z.at.unreadable(b, "is no zone that is known"), hintZone)
	}
	if len(z.known) < 256 {
		z.known[string(b)] = p
	}
	return p, nil
}

// zoneNamed finds a zone by abbreviation, offset or name; nil when it is none of them.
func zoneNamed(s string) *place {
	if a, ok := abbreviations[s]; ok {
		check, err := time.LoadLocation(a.place)
		if err != nil {
			return nil
		}
		return &place{name: s, zone: time.FixedZone(s, a.seconds()), check: check}
	}
	if offset, ok := offsetOf(s); ok {
		return &place{name: s, zone: time.FixedZone(s, offset)}
	}
	if !strings.Contains(s, "/") {
		return nil // a bare name is an abbreviation, and Go would take an unknown one for UTC
	}
	zone, err := time.LoadLocation(s)
	if err != nil {
		return nil
	}
	return &place{name: s, zone: zone}
}

// offsetOf reads +01:00, +0100, GMT+1, UTC-08:00.
func offsetOf(s string) (seconds int, ok bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "UTC"), "GMT")
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	digits := strings.Replace(s[1:], ":", "", 1)
	if len(digits) < 1 || len(digits) > 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return 0, false
	}
	hours, minutes := int(n), 0
	if len(digits) > 2 {
		hours, minutes = int(n)/100, int(n)%100
	}
	if hours > 14 || minutes > 59 {
		return 0, false
	}
	if seconds = hours*3600 + minutes*60; s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// within checks a time's range, and that the place of an abbreviation has its offset then.
func (p *place) within(t time.Time) (ns int64, why, hint string) {
	if p != nil && p.check != nil {
		_, here := t.Zone()
		if _, there := t.In(p.check).Zone(); there != here {
			return 0, "is no time at which clocks show " + p.name, "name the zone that is meant: zone: {from: COLUMN, words: {" + p.name + ": Europe/Zurich}}"
		}
	}
	return within(t)
}

// namedClock is the clock of one fact.
type namedClock struct {
	fact  string
	clock *clock
}

// Tables names the versions of the tables by which amounts and zones are read.
func (m *Mapper) Tables() []string { return m.tables }

// Blurred says of each time how many rows tell one that clocks of their zone showed twice, or never, in the rows mapped so far.
func (m *Mapper) Blurred() []string {
	var out []string
	for _, c := range m.clocks {
		var twice, never int64
		for at := c.clock; at != nil; at = at.or {
			twice, never = twice+at.twice, never+at.never
		}
		if twice > 0 {
			out = append(out, c.fact+": "+counted(twice)+" that clocks of the zone showed twice: which of the two instants is meant, nothing tells, and what rests on it is judged by both. Times with their offset, or in UTC, leave no doubt")
		}
		if never > 0 {
			out = append(out, c.fact+": "+counted(never)+" that clocks of the zone never showed, and what rests on it is judged by both instants that may be meant: the zone is another, or the writer's clock was not put forward")
		}
	}
	return out
}

func counted(n int64) string {
	if n == 1 {
		return "1 row tells a time"
	}
	return strconv.FormatInt(n, 10) + " rows tell a time"
}

// DayOrMonth names the times, with their layout, of which the rows mapped so far do not tell whether day or month comes first: a preset says so, for an account of
// one language, and every day of them could be a month.
func (m *Mapper) DayOrMonth() (fact, layout string) {
	for _, c := range m.clocks {
		for at := c.clock; at != nil; at = at.or {
			if at.doubt && !at.sure {
				return c.fact, at.layout
			}
		}
	}
	return "", ""
}

// Spellings says of each time that may be spelled in several ways how many were read by which, in the rows mapped so far.
func (m *Mapper) Spellings() []string {
	var out []string
	for _, c := range m.clocks {
		if c.clock.or == nil {
			continue
		}
		var counts []string
		for at := c.clock; at != nil; at = at.or {
			if at.read > 0 {
				counts = append(counts, strconv.FormatInt(at.read, 10)+" as "+at.name)
			}
		}
		if len(counts) > 0 {
			out = append(out, c.fact+": "+strings.Join(counts, ", "))
		}
	}
	return out
}
