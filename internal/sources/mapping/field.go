// Package mapping turns the cells of one row into one record, as a source's map in the config says.
//
// # What it is
//
// Compile checks a map and returns a Mapper, which names the cells it needs and fills one Record again and again without allocating (Go
// layouts of times excepted).
//
// # What it never does
//
// It does no I/O and knows no rule. It guesses nothing: a word that is not mapped, a time without zone, an amount with too many decimals
// make the row unreadable, with a reason that names the field and its column. It uses no float.
//
// # Invariants
//
//   - A component or a reference has the bytes that the store holds: text and blobs as they are, integers as decimal digits, booleans as
//     true or false, JSON numbers as their source text. What a store may have changed (a floating-point value) and what is no single value
//     (an object, an array) make the row unreadable.
//   - Null and missing are unknown, an empty text is known.
//   - Values of the record alias the cells or the Mapper's own memory: they are valid until the next row.
//   - A row that a provider source does not claim is never unreadable: its lines may have any shape.
package mapping

import (
	"fmt"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// Field maps one fact of a record. Exactly one of From, First, Parts, Const, Presence, and of an amount Debit with Credit, is given.
//
// Parts are put behind each other with Join between them, exactly as a store does that derives a key from them: without Join, ("a", "bc") and ("ab", "c") are one
// text, as they are in that store. JSON spells the value, or the parts as a list, as JSON text instead. Where one part is null or missing, so is the value.
//
// A value goes through its transforms in this order: strip_prefix, split, lower, hash, prefix, truncate; then through words; then it is read
// as what the fact is (a text, a time, a number, a closed word).
type Field struct {
	Name        string      // the fact's name, or any component or column name that a contract uses
	From        string      // column, or column.member.member; a name that contains a dot is quoted
	First       []Field     // alternatives, of which the first that has a value is taken; each has a source, transforms, words and When of its own
	When        []Condition // an alternative counts only where these hold
	Absent      []string    // texts that stand for no value: redacted, "-", "0"
	Parts       []Part
	Join        string // between parts
	JSON        string // canonical, python: see jsonText
	Const       *string
	Presence    []Presence // state by presence, in order
	StripPrefix string     // must be there, else the row is unreadable
	Prefix      string
	Hash        string // md5-hex, sha256-hex, sha256-base64
	Truncate    int    // to so many characters, as varchar(n) does; bytes where the value is not UTF-8
	Lower       bool
	Split       string            // separator: see SplitIndex
	SplitIndex  int               // which part, from 0; it must be there
	Words       map[string]string // source text → word; "null" stands for null and missing, "*" for any other value but these
	As          string            // unix-s, unix-ms, unix-us, unix-ns, rfc3339, or a Go layout; see Or
	Or          []string          // further spellings, tried in this order after As
	Zone        string            // a name, for times that give none
	ZoneFrom    string            // the column that gives it: a name, an offset or an abbreviation
	ZoneWords   map[string]string // what that column's words mean, before the table of abbreviations
	Unit        string            // amount: minor | major | written: with as many decimals as the text has
	Decimals    string            // amount: whose table of minor units counts, "" = ISO 4217
	Point       string            // amount: what stands before the decimals, "" = a point
	Thousands   string            // amount: what sets thousands apart, "" = nothing
	Debit       string            // amount: the column of what went out, beside Credit
	Credit      string
	Currencies  []string // amount: column paths, of which the first that has a value is taken
	CurrencyIs  string   // amount: constant
	Shipped     bool     // a preset gives it, and the config that names the preset says nothing of it
	Each        []Field  // attempts: the map of one element of the list; without it its members are at, target, key, outcome
	Line, Col   int
}

// Part is one of several values that make up another: a column, or a constant.
type Part struct {
	Column string
	Const  *string
}

// columns are the columns of the parts.
func (f *Field) columns() []string {
	var out []string
	for _, p := range f.Parts {
		if p.Const == nil {
			out = append(out, p.Column)
		}
	}
	return out
}

// alternatives are the columns of a field's alternatives, each once.
func (f *Field) alternatives() []string {
	var out []string
	for i := range f.First {
		a := &f.First[i]
		for _, c := range append(a.columns(), a.From) {
			if c != "" && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Presence says that a state holds when a column is not null. Where several hold, a final state wins over an open one, then the first listed.
type Presence struct{ Word, Column string }

// Input is a source's map with what must be known to compile it.
type Input struct {
	Source     string
	Role       reconcile.Role
	Fields     []Field
	Row        string // "" or attempt
	Where      map[string]string
	Exclude    []Exclusion
	Claim      map[string]string
	TestMode   bool     // rows whose mode says test are read, too
	Components []string // names in the contracts' scopes
	Extra      []string // other names that contracts use: actor, unique and compared columns
	Line, Col  int      // where the source stands in the config
}

// Error is a mistake in a map, at its place in the config.
type Error struct {
	Line, Col int
	Msg       string
	Hint      string
}

func (e *Error) Error() string { return e.Msg }

// Unreadable says why a row gives no record. Both texts are safe to show.
type Unreadable struct {
	Reason string
	Hint   string
}

func (u *Unreadable) Error() string { return u.Reason }

// at returns an Error at the field's place.
func (f *Field) at(hint, format string, args ...any) *Error {
	return &Error{Line: f.Line, Col: f.Col, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
