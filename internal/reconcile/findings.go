package reconcile

// Finding describes a kind: its word, what it means, and when it does not hold. Docs, console and training read this table.
type Finding struct {
	Kind     Kind
	Word     string
	Means    string
	NotWhen  string
	Severity Severity // of a case with this headline, before exposure raises it
	Absence  bool     // rests on an absence: needs coverage and age above settle
	Judged   bool     // has a rule in this version
}

// Findings is the one table of kinds, in the order of gravity.
var Findings = [...]Finding{
	DuplicateEffect: {Kind: DuplicateEffect, Word: "duplicate-effect"},
	SensitiveKey:    {Kind: SensitiveKey, Word: "sensitive-key"},
}
