package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"example.com/idemctl/internal/reconcile"
)

// maxRecord is how long a record may be, in bytes.
const maxRecord = 60_000

// unsigned is the signature line of a record that its operator's process vouches for, and no key.
const unsigned = "none"

// signedPrefix begins the signature line of a record that an SSH key signed: the signature, over the intent line and its line feed, follows in base64.
const signedPrefix = "sshsig "

// record is one record of the log. Its stored bytes are its truth; what stands here was read from them, or is what they are made from.
type record struct {
	header
	intent
	signature string
	body      []byte    // header, intent and signature, each with its line feed
	leaf      tlog.Hash // of body
}

// header is the first line: where the record stands.
type header struct {
	version int64
	log     string // the trail's origin
	seq     int64
	prev    tlog.Hash // leaf of the record before; none for the first
	at      reconcile.Instant
	tool    string
	kind    EventType
}

func (h *header) members() []member {
	return []member{
		countMember("v", true, &h.version),
		textMember("log", true, &h.log),
		numberMember("seq", &h.seq),
		hashMember("prev", false, &h.prev),
		timeMember("at", true, &h.at),
		textMember("tool", true, &h.tool),
		wordMember("type", true, (*string)(&h.kind), checkType),
	}
}

// intent is the second line: what its operator wanted, and what it rested on. It is whole before the trail is locked, so that it can be signed.
type intent struct {
	id, of   string // of: the trail's origin, so that a signature cannot be used elsewhere
	what     EventType
	actor    string
	auth     auth
	seen     seen
	key      string // of store.created: the verifier key of the checkpoints
	decision string // the decision that the record is about
	core
	policy string // digest of the policy it was made under; none yet
	plan   planPart
	window window // of restore.confirmed and restore.withdrawn
}

// auth says how the actor is known.
type auth struct {
	method                          string // process: by the rights of the process that wrote
	key                             string // fingerprint of the key that signed
	uid, loginUID                   int64
	sudoUser, host, tty, ssh, where string
}

// seen is the tree that the writer had before it: every record is a witness of what came earlier.
type seen struct {
	size int64
	root tlog.Hash
}

// planPart binds the records of one bulk: digest is over the core of each of its parts, in order.
type planPart struct {
	digest   tlog.Hash
	part, of int64
}

// core is what is decided, on what.
type core struct {
	caseID       string
	rev          int64 // how many records the case had; the next one counts from there
	contract     string
	identity     []reconcile.Component
	supersedes   string
	action, as   string
	executed     string
	legs         []reconcile.Leg
	digest       string
	code, answer string // the guard's
	config       string
	configDigest string
	scanNow      reconcile.Instant
	pinned       bool
	reason       string
	ref, to      string
	asOf, until  reconcile.Instant // as of when a fact holds, or when to look again; until when it stands
	outcome      string
	evidence     []tlog.Hash // commitments
}

func (n *intent) members() []member {
	head := []member{
		textMember("id", true, &n.id),
		textMember("log", true, &n.of),
		wordMember("type", true, (*string)(&n.what), checkType),
		textMember("actor", true, &n.actor),
		objectMember("auth", true, n.auth.members()),
		objectMember("seen", false, []member{countMember("size", true, &n.seen.size), hashMember("root", true, &n.seen.root)}),
		textMember("key", false, &n.key),
		textMember("decision", false, &n.decision),
	}
	return append(append(head, n.core.members()...),
		textMember("policy", false, &n.policy),
		objectMember("plan", false, []member{hashMember("digest", true, &n.plan.digest), countMember("part", true, &n.plan.part), countMember("of", true, &n.plan.of)}),
		objectMember("restore", false, n.window.members()))
}

func (a *auth) members() []member {
	return []member{
		wordMember("method", true, &a.method, oneOf("process", "sshsig")),
		textMember("key", false, &a.key),
		numberMember("uid", &a.uid),
		numberMember("loginuid", &a.loginUID),
		textMember("sudo_user", false, &a.sudoUser),
		textMember("host", false, &a.host),
		textMember("tty", false, &a.tty),
		textMember("ssh", false, &a.ssh),
		textMember("machine", false, &a.where),
	}
}

func (k *core) members() []member {
	return []member{
		textMember("case", false, &k.caseID),
		countMember("rev", false, &k.rev),
		textMember("contract", false, &k.contract),
		listMember("identity", &k.identity, componentMembers),
		textMember("supersedes", false, &k.supersedes),
		wordMember("action", false, &k.action, checked(reconcile.ParseDecision)),
		wordMember("as", false, &k.as, checked(reconcile.ParseResolution)),
		wordMember("executed", false, &k.executed, checked(reconcile.ParseExecuted)),
		listMember("legs", &k.legs, legMembers),
		textMember("digest", false, &k.digest),
		textMember("code", false, &k.code),
		textMember("answer", false, &k.answer),
		textMember("config", false, &k.config),
		textMember("config_digest", false, &k.configDigest),
		timeMember("scan_now", false, &k.scanNow),
		flagMember("pinned", &k.pinned),
		textMember("reason", false, &k.reason),
		textMember("ref", false, &k.ref),
		textMember("to", false, &k.to),
		timeMember("at", false, &k.asOf),
		timeMember("valid_until", false, &k.until),
		wordMember("outcome", false, &k.outcome, checked(reconcile.ParseDecisionOutcome)),
		hashesMember("evidence", &k.evidence),
	}
}

// componentMembers writes a component: its value as text, or in base64 where it is not UTF-8; neither where it is unknown.
func componentMembers(c *reconcile.Component) []member {
	return []member{textMember("name", true, &c.Name), valueMember("value", &c.Value, false), valueMember("base64", &c.Value, true)}
}

func legMembers(l *reconcile.Leg) []member {
	return []member{
		{name: "name", need: true, put: func(dst []byte) []byte { return appendWord(dst, l.Name.String()) }, get: func(c *cursor) bool { return parsed(c, &l.Name, reconcile.ParseLegName) }},
		{name: "state", need: true, put: func(dst []byte) []byte { return appendWord(dst, l.State.String()) }, get: func(c *cursor) bool { return parsed(c, &l.State, reconcile.ParseLegState) }},
		textMember("code", false, &l.Code),
	}
}

func parsed[T any](c *cursor, p *T, parse func(string) (T, error)) (empty bool) {
	return c.word(func(s string) (err error) { *p, err = parse(s); return err }) == ""
}

func checked[T any](parse func(string) (T, error)) func(string) error {
	return func(s string) error { _, err := parse(s); return err }
}

func checkType(s string) error { _, err := ParseEventType(s); return err }

func oneOf(words ...string) func(string) error {
	return func(s string) error {
		for _, w := range words {
			if w == s {
				return nil
			}
		}
		return fmt.Errorf("%q is none of %s", s, strings.Join(words, ", "))
	}
}

// finish makes the record's bytes. Whoever calls it has filled header, intent and signature.
func (r *record) finish() error {
	r.version, r.kind, r.of = 1, r.what, r.log
	b, err := appendLine(nil, r.header.members())
	if err == nil {
		b, err = appendLine(append(b, '\n'), r.intent.members())
	}
	if err != nil {
		return fmt.Errorf("writing a record of type %s: %w", r.what, err)
	}
	b = append(append(append(b, '\n'), r.signature...), '\n')
	if len(b) > maxRecord {
		return fmt.Errorf("writing a record of type %s: %d bytes, %d are allowed: shorten the reason", r.what, len(b), maxRecord)
	}
	// What this program cannot read again must not be written.
	back, err := parseRecord(b)
	if err != nil {
		return fmt.Errorf("writing a record of type %s: %w", r.what, err)
	}
	*r = *back
	return nil
}

// parseRecord reads a record's bytes; nothing is returned unless all is well formed. The record holds b.
func parseRecord(b []byte) (*record, error) { return newParser().parse(b) }

// parser reads records. Its tables of members point into its own record, and are made once for as many as it reads.
type parser struct {
	r              record
	header, intent []member
}

func newParser() *parser {
	p := &parser{}
	p.header, p.intent = p.r.header.members(), p.r.intent.members()
	return p
}

func (p *parser) parse(b []byte) (*record, error) {
	if len(b) > maxRecord {
		return nil, fmt.Errorf("a record of %d bytes: at most %d are allowed", len(b), maxRecord)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	if len(lines) != 4 || len(lines[3]) != 0 {
		return nil, errors.New("a record has three lines")
	}
	p.r = record{body: b, leaf: tlog.RecordHash(b), signature: string(cut(lines[2]))}
	if err := parseLine(cut(lines[0]), p.header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := parseLine(cut(lines[1]), p.intent); err != nil {
		return nil, fmt.Errorf("intent: %w", err)
	}
	r := p.r
	if err := r.check(); err != nil {
		return nil, err
	}
	return &r, nil
}

// check holds what the two lines and the signature say against each other.
func (r *record) check() error {
	switch {
	case r.version != 1:
		return fmt.Errorf("header: version %d is not known", r.version)
	case (r.seq == 0) != (r.prev == tlog.Hash{}):
		return errors.New("header: prev is missing, or stands in the first record")
	case r.log != r.of || r.kind != r.what:
		return errors.New("header and intent disagree")
	case (r.seq == 0) != (r.what == EventCreated):
		return fmt.Errorf("record %d has type %s", r.seq, r.what)
	case r.what.window() != (r.window.store != "") || r.what.window() && r.caseID != "" || r.what == EventRetracted && r.decision == "":
		return fmt.Errorf("intent: a record of type %s with the window of %q and the case %q", r.what, r.window.store, r.caseID)
	case r.plan.part > r.plan.of:
		return fmt.Errorf("intent: part %d of a plan of %d", r.plan.part, r.plan.of)
	}
	if r.signature != unsigned {
		sig, ok := strings.CutPrefix(r.signature, signedPrefix)
		if _, err := unbase64(sig); !ok || err != nil || sig == "" {
			return errors.New("signature: neither none nor sshsig and base64")
		}
	}
	return nil
}

func cut(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\n")) }

// planDigest is over the cores of a plan's parts, in order.
func planDigest(parts []*intent) (tlog.Hash, error) {
	b := []byte("idemctl-plan-v1\n")
	for _, p := range parts {
		var err error
		if b, err = appendLine(b, p.core.members()); err != nil {
			return tlog.Hash{}, err
		}
		b = append(b, '\n')
	}
	return sum(b), nil
}
