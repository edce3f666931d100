package reconcile

import "bytes"

// MaxParamDifferences is how many places in which two requests differ are named; the rest are counted.
const MaxParamDifferences = 20

// Difference explains how the requests of two records of one action compare, where a finding says that they differ.
type Difference struct {
	Kind       Kind // the finding that it explains
	One, Other string
	By         Basis
	Params     ParamsAnswer
	Parts      []ParamDifference // those that count first
	More       int               // places that are not named
	Text       string            // for a person; it holds no value, and of names only what is plainly a name
}

// Basis is what the finding compared.
type Basis uint8

// The bases of a comparison.
const (
	ByFacts       Basis = iota // amount or status
	ByFingerprint              // fingerprints that are declared to be made alike
	ByParams                   // the parameters themselves
)

// ParamsAnswer is what comparing the parameters as the contract says gives.
type ParamsAnswer uint8

// The answers. The zero ParamsAnswer is unknown: a record has none, or they cannot be read.
const (
	ParamsUnknown ParamsAnswer = iota
	ParamsEqual
	ParamsDiffer
)

// ParamDifference is one place in which the parameters of two records differ.
type ParamDifference struct {
	Path   string // $.items[0]["a b"]
	Masked string // Path without member names that may be data, "" where it has none
	Cause  Cause
	One    Value // JSON text as the record spells it; unknown where it leaves the member out
	Other  Value
	Hint   string // what would make it no difference, "" where nothing should
}

// Cause is what makes two parameters differ.
type Cause uint8

// The causes; those from KeyOrder on make no difference to the contract's comparison.
const (
	ValueDiffers   Cause = iota
	TypeDiffers          // a number against a text, and so on
	MemberMissing        // one leaves out what the other gives
	NullOrMissing        // one gives null where the other gives nothing
	DefaultDiffers       // one leaves it out, and what the other gives is not the contract's default
	KeyOrder
	NumberSpelling // 1, 1.0, 1e0
	TextSpelling   // escapes
	WhiteSpace
	DefaultGiven // one leaves it out, the other spells the contract's default
	Transport    // the contract leaves it out of the comparison
)

// Counts reports whether the contract's comparison counts a difference of this cause.
func (c Cause) Counts() bool { return c < KeyOrder }

var (
	basisWords  = map[Basis]string{ByFacts: "facts", ByFingerprint: "fingerprint", ByParams: "params"}
	paramsWords = map[ParamsAnswer]string{ParamsUnknown: "unknown", ParamsEqual: "equal", ParamsDiffer: "differ"}
	causeWords  = map[Cause]string{
		ValueDiffers: "value", TypeDiffers: "type", MemberMissing: "missing", NullOrMissing: "null-or-missing", DefaultDiffers: "not-the-default",
		KeyOrder: "key-order", NumberSpelling: "number-spelling", TextSpelling: "text-spelling", WhiteSpace: "white-space", DefaultGiven: "default", Transport: "transport",
	}
)

// ParseBasis reads the word of a basis.
func ParseBasis(w string) (Basis, error) { return parseWord(basisWords, "basis of a comparison", w) }

// ParseParamsAnswer reads the word of what comparing parameters gave.
func ParseParamsAnswer(w string) (ParamsAnswer, error) {
	return parseWord(paramsWords, "answer of a comparison", w)
}

// ParseCause reads the word of a cause.
func ParseCause(w string) (Cause, error) { return parseWord(causeWords, "cause of a difference", w) }

func (b Basis) String() string        { return basisWords[b] }
func (a ParamsAnswer) String() string { return paramsWords[a] }
func (c Cause) String() string        { return causeWords[c] }

// compareParams compares the parameters of two records as the contract says, and lists where they differ, first in what counts and then in what does not,
// with the number of places that are not listed. why says what is not known.
func compareParams(spec *ParamSpec, a, b *Record) (answer ParamsAnswer, parts []ParamDifference, more int, why string) {
	docs, texts := [2]paramDoc{}, [2][]byte{}
	for i, r := range []*Record{a, b} {
		if !r.Params.known {
			return ParamsUnknown, nil, 0, "no parameters are mapped for " + ref(r)
		}
		var err, unread error
		docs[i], err = newParamDoc(spec, r.Params.text)
		if texts[i], unread = Canonical(r.Params.text, spec); err != nil || unread != nil {
			return ParamsUnknown, nil, 0, "the parameters of " + ref(r) + " cannot be read as JSON"
		}
	}
	d := paramDiff{spec: spec, one: docs[0], other: docs[1]}
	d.values(paramPath{text: "$", masked: "$"}, &docs[0].root, &docs[1].root)
	parts, more = append(d.parts, d.rest...), d.more
	if !bytes.Equal(texts[0], texts[1]) {
		return ParamsDiffer, parts, more, ""
	}
	if len(parts) == 0 && !a.Params.Equal(b.Params) {
		parts = []ParamDifference{{Path: "$", Cause: WhiteSpace, One: a.Params, Other: b.Params}}
	}
	for i := range parts {
		if parts[i].Cause.Counts() { // what of it counts is left out by a path that leads into a default
			parts[i].Cause, parts[i].Hint = Transport, ""
		}
	}
	return ParamsEqual, parts, more, ""
}

// newParamDoc reads the parameters of a record and marks what the contract leaves out.
func newParamDoc(spec *ParamSpec, doc []byte) (paramDoc, error) {
	d := paramDoc{doc: doc, transport: make(map[int]bool)}
	var err error
	if d.root, err = parseJSON(doc); err != nil || spec == nil || d.root.kind != '{' {
		return d, err
	}
	for _, path := range spec.Exclude {
		d.root.find(path, func(object *jsonValue, i int) { d.transport[object.members[i].value.from] = true })
	}
	return d, nil
}
