package reconcile

import (
	"slices"
	"strconv"
	"strings"
)

// explain says where the requests of two records differ, for a finding that they do.
func (j *judging) explain(kind Kind, by Basis, a, b *Record) {
	d := Difference{Kind: kind, One: ref(a), Other: ref(b), By: by}
	var why string
	d.Params, d.Parts, d.More, why = compareParams(j.c.Params, a, b)
	if n := len(d.Parts); n > MaxParamDifferences {
		d.Parts, d.More = d.Parts[:MaxParamDifferences], d.More+n-MaxParamDifferences
	}
	d.Text = d.sentence(why, j.fingerprintOf(a))
	j.out.Differences = append(j.out.Differences, d)
}

// explainFacts is explain for a finding about amount or status, where both records say their parameters too.
func (j *judging) explainFacts(a, b *Record) {
	if a.Params.known && b.Params.known {
		j.explain(ProviderMismatch, ByFacts, a, b)
	}
}

// sentence says in words what differs, or what is not known.
func (d *Difference) sentence(why string, spec *FingerprintSpec) string {
	switch {
	case d.Params == ParamsUnknown && d.By == ByFingerprint:
		return "Only the fingerprints can be compared: which parameters differ is not known, as " + why + "."
	case d.Params == ParamsUnknown:
		return ""
	case d.Params == ParamsDiffer && d.By == ByFingerprint && d.outside(spec):
		return "The parameters differ in " + d.paths(true) + ", none of which the fingerprint is declared to be made of (" + strings.Join(spec.Over, ", ") + "): it is made of more than that."
	case d.Params == ParamsDiffer:
		return "The parameters differ in " + d.paths(true) + "." + d.hint()
	case d.By != ByFingerprint:
		return "The parameters are the same by the contract's comparison."
	case len(d.Parts) == 0:
		return "The parameters are the same to the last byte: what the fingerprints were made of besides them is not known."
	}
	return "By the contract's comparison of parameters this would be no conflict: only " + d.causes() + ". The fingerprints see more than that comparison does."
}

// outside reports whether the fingerprint is declared to be made of members, and of none in which the parameters differ.
func (d *Difference) outside(spec *FingerprintSpec) bool {
	if spec == nil || len(spec.Over) == 0 || d.More > 0 {
		return false
	}
	for _, p := range d.Parts {
		name, _, _ := strings.Cut(strings.TrimPrefix(p.Path, "$."), ".")
		name, _, _ = strings.Cut(name, "[")
		if p.Cause.Counts() && (p.Path == "$" || slices.ContainsFunc(spec.Over, func(over string) bool { return over == name || strings.HasPrefix(over, name+".") })) {
			return false
		}
	}
	return true
}

// maxPathsSaid is how many places a sentence names.
const maxPathsSaid = 3

// paths lists where they differ.
func (d *Difference) paths(counting bool) string {
	var said []string
	more := d.More
	for _, p := range d.Parts {
		switch {
		case p.Cause.Counts() != counting:
		case len(said) == maxPathsSaid:
			more++
		default:
			said = append(said, p.Place())
		}
	}
	if more > 0 {
		return strings.Join(said, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(said, ", ")
}

// Place is the path as it may be shown to anybody.
func (p *ParamDifference) Place() string {
	if p.Masked != "" {
		return p.Masked
	}
	return p.Path
}

// hint repeats the first hint where every difference that counts has one: then the conflict may be none.
func (d *Difference) hint() string {
	first := ""
	if d.By != ByParams { // the contract compares something else, whatever it says of parameters
		return ""
	}
	for _, p := range d.Parts {
		switch {
		case !p.Cause.Counts():
		case p.Hint == "":
			return ""
		case first == "":
			first = p.Hint
		}
	}
	if d.More > 0 || first == "" {
		return ""
	}
	return " This may be no conflict: " + first + "."
}

// causePhrases says what of each cause makes no difference.
var causePhrases = map[Cause]string{
	KeyOrder: "the order of members", NumberSpelling: "the spelling of numbers", TextSpelling: "the spelling of texts", WhiteSpace: "white space",
	DefaultGiven: "a default that one of them spells out", Transport: "members that the contract leaves out",
}

// causes lists what differs in spelling only, each with its first place.
func (d *Difference) causes() string {
	var said []string
	seen := make(map[Cause]bool)
	for _, p := range d.Parts {
		if seen[p.Cause] {
			continue
		}
		seen[p.Cause] = true
		phrase := causePhrases[p.Cause]
		if p.Path != "$" {
			phrase += " (" + p.Place() + ")"
		}
		said = append(said, phrase)
	}
	if len(said) < 2 {
		return strings.Join(said, "") + " differs"
	}
	return strings.Join(said[:len(said)-1], ", ") + " and " + said[len(said)-1] + " differ"
}
