package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"example.com/idemctl/internal/reconcile"
)

// FileName is the file whose presence makes a folder with a config a scenario.
const FileName = "scenario.yaml"

// Scenario is one scenario.yaml.
type Scenario struct {
	Title            string         `yaml:"title"`
	Story            string         `yaml:"story"`
	Level            Level          `yaml:"level,omitempty"`
	Goal             string         `yaml:"goal"` // one line; DefaultGoal where it is not told
	Teaches          []string       `yaml:"teaches"`
	Principles       []string       `yaml:"principles"` // ids of what it shows
	Steps            []Step         `yaml:"steps"`
	Counts           map[string]int `yaml:"counts"` // of subjects, by class, and "cases"
	ContractFindings []string       `yaml:"contract_findings"`
	Incomplete       []string       `yaml:"incomplete"` // sources that cannot be read as far as they are declared to reach
	Cases            []Answer       `yaml:"cases"`
	Before           *Before        `yaml:"trail"` // what the trail tells when the play begins; nil = it begins empty
}

// Before is what was decided before the play begins.
type Before struct {
	Decided []Earlier `yaml:"decided"` // in order of time
	// PutBack says that the file of the trail was put back as it was after so many decisions, and is older than what the machine remembers; 0 = it was not.
	PutBack int `yaml:"put_back"`
}

// Earlier is a decision that somebody made before.
type Earlier struct {
	At       time.Time         `yaml:"at"`
	By       string            `yaml:"by"`
	Identity map[string]string `yaml:"identity"`
	Decision string            `yaml:"decision"`
	As       string            `yaml:"as"`
	Reason   string            `yaml:"reason"`
	Ref      string            `yaml:"ref"`
	To       string            `yaml:"to"` // of escalate: to whom
}

// Level is how much somebody should have seen before.
type Level string

// The levels. A scenario that names none is an everyday one.
const (
	First    Level = "first"    // for somebody who has never seen the console
	Everyday Level = "everyday" // one thing went wrong
	Hard     Level = "hard"     // several did, or the records do not tell all
)

// Levels are all of them, in the order in which they are played.
var Levels = []Level{First, Everyday, Hard}

// DefaultGoal is what every scenario asks for.
const DefaultGoal = "Decide every case without doing anything twice."

// Step is one thing to do.
type Step struct {
	Do    string `yaml:"do"`
	Until Until  `yaml:"until"`
	Hint  string `yaml:"hint,omitempty"` // told on demand; empty where the text says enough
	Told  string `yaml:"told,omitempty"` // told once the step is behind: what there was to see; empty where the text asks for nothing to be found
}

// Answer is what the key says of one case.
type Answer struct {
	Identity map[string]*string `yaml:"identity"` // nil is unknown
	Kinds    []string           `yaml:"kinds"`
	Executed string             `yaml:"executed"`
	Right    []Choice           `yaml:"right"`     // the best first
	Harmful  []Choice           `yaml:"harmful"`   // each with the harm it would do
	Because  string             `yaml:"because"`   // why the right decision is right, in this case's own words
	By       string             `yaml:"principle"` // the id of what it follows from; one of the scenario's where empty
	Leave    bool               `yaml:"leave"`     // no decision is right, as none can be recorded: to look at it, and to leave it, is
}

// Choice is a decision that may be taken about a case.
type Choice struct {
	Decision string `yaml:"decision"`
	As       string `yaml:"as,omitempty"`
	Would    string `yaml:"would,omitempty"` // of a harmful one: what it would cause, as the end of "It would …"
	Twice    *Money `yaml:"twice,omitempty"` // of a harmful one: the money that would move a second time
	// Allowed says of a harmful one that no record tells the guard so: it is recorded, and counted as harm.
	Allowed bool `yaml:"allowed,omitempty"`
}

// Money is an amount of a scenario's world.
type Money struct {
	Minor    int64  `yaml:"minor" json:"minor"`
	Exponent uint8  `yaml:"exponent" json:"exponent"`
	Currency string `yaml:"currency" json:"currency"`
}

// Parse reads a scenario.yaml. An unknown or repeated field is an error.
func Parse(data []byte) (*Scenario, error) {
	var s Scenario
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", FileName, err)
	}
	if s.Goal == "" {
		s.Goal = DefaultGoal
	}
	if s.Level == "" {
		s.Level = Everyday
	}
	for i := range s.Cases {
		if a := &s.Cases[i]; a.By == "" && len(s.Principles) == 1 {
			a.By = s.Principles[0]
		}
	}
	return &s, nil
}

// Named is a scenario with the name that it is asked for by.
type Named struct {
	Name string
	*Scenario
}

// List returns the scenarios of a folder of folders in the order of their names.
func List(fsys fs.FS) ([]Named, error) {
	found, err := fs.Glob(fsys, "*/"+FileName)
	if err != nil {
		return nil, fmt.Errorf("listing scenarios: %w", err)
	}
	out := make([]Named, 0, len(found))
	for _, file := range found {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("listing scenarios: %w", err)
		}
		s, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Dir(file), err)
		}
		out = append(out, Named{path.Dir(file), s})
	}
	return out, nil
}

// Of finds the answer about an identity, nil where the key has none.
func (s *Scenario) Of(identity []reconcile.Component) *Answer {
	for i := range s.Cases {
		if s.Cases[i].is(identity) {
			return &s.Cases[i]
		}
	}
	return nil
}

func (a *Answer) is(identity []reconcile.Component) bool {
	if len(a.Identity) != len(identity) {
		return false
	}
	for _, c := range identity {
		want, named := a.Identity[c.Name]
		if !named || (want != nil) != c.Value.Known() || want != nil && *want != c.Value.String() {
			return false
		}
	}
	return true
}

// Name says which case is meant: its key where it has one, else all that is known of it.
func (a *Answer) Name() string {
	var known []string
	for _, name := range sortedNames(a.Identity) {
		v := a.Identity[name]
		switch {
		case v == nil:
		case name == "key":
			return *v
		default:
			known = append(known, *v)
		}
	}
	return strings.Join(known, " ")
}

// String is the decision's word, with the resolution's.
func (c Choice) String() string {
	if c.As == "" {
		return c.Decision
	}
	return c.Decision + " as " + c.As
}

// is reports whether the choice is this decision.
func (c Choice) is(d reconcile.Decision, as reconcile.Resolution) bool {
	return c.Decision == d.String() && c.As == as.String()
}

func find(choices []Choice, d reconcile.Decision, as reconcile.Resolution) *Choice {
	for i := range choices {
		if choices[i].is(d, as) {
			return &choices[i]
		}
	}
	return nil
}
