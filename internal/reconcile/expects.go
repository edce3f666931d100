package reconcile

import (
	"fmt"
	"slices"
)

// effectsShort is the code of a local leg of which one source holds fewer rows than the action makes there.
const effectsShort = "fewer-than-expected"

// lacking returns a source that certainly holds fewer rows of the action than it makes there, nil where none does. Rows that are pending or undone were made.
func (j *judging) lacking() *SourceFacts {
	for _, f := range j.fewer() {
		if j.absentIn(f, j.c.SettleTime().D, missingNow).state == absenceProved {
			return f
		}
	}
	return nil
}

// fewer lists the sources that show fewer rows of a made action than it makes there, whatever their lack proves.
func (j *judging) fewer() []*SourceFacts {
	if len(j.c.Expects) == 0 || len(j.effects) == 0 || j.candidateIn(RoleEffect) || j.claimedOpenly() {
		return nil
	}
	return slices.DeleteFunc(j.places(RoleEffect, true), func(f *SourceFacts) bool { return j.rowsIn(f.Name) >= j.c.ExpectOf(f.Name).Min })
}

func (j *judging) rowsIn(source string) int {
	n := 0
	for _, r := range slices.Concat(j.effects, j.pendingRows, j.undone) {
		if r.Source == source {
			n++
		}
	}
	return n
}

// lackingText says how many rows of a source are there, and how many the action makes.
func (j *judging) lackingText(f *SourceFacts) string {
	return fmt.Sprintf("The action makes %d records in %s, and %d stand: %s covers the time and shows no more.", j.c.ExpectOf(f.Name).Min, f.Name, j.rowsIn(f.Name), f.Name)
}
