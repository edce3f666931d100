package reconcile_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// A scenario is written line by line: what the contract promises, which sources there are and how far each reaches, the records, then a judge command.
// Times are HH:MM[:SS] of one day; "-" in a key stands for a component that the record does not carry.
//
//	contract create-order effect=local atomic retention=24h window=72h
//	source receipts receipts to=06:00
//	receipt north/create-order/K1 in=receipts completed effect=7 at=02:00
type notation struct {
	book  reconcile.Book
	world reconcile.World
	recs  []*reconcile.Record
	n     int

	decided []words // what was decided before: DECISION [RESOLUTION] on=IDENTITY at=TIME …
}

var day = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

func clock(s string) reconcile.Instant {
	for _, layout := range []string{"15:04", "15:04:05", "2006-01-02T15:04:05Z"} {
		if t, err := time.Parse(layout, s); err == nil {
			if t.Year() == 0 {
				t = day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second)
			}
			return reconcile.At(t)
		}
	}
	panic("no time: " + s)
}

func span(s string) time.Duration {
	if d, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(d)
		if err == nil {
			return time.Duration(n) * 24 * time.Hour
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// words splits a line into its bare words and its key=value pairs.
type words struct {
	bare []string
	set  map[string]string
}

func split(line string) words {
	w := words{set: make(map[string]string)}
	for _, f := range strings.Fields(line) {
		if k, v, ok := strings.Cut(f, "="); ok {
			w.set[k] = v
		} else {
			w.bare = append(w.bare, f)
		}
	}
	return w
}

func (w words) has(bare string) bool {
	for _, b := range w.bare {
		if b == bare {
			return true
		}
	}
	return false
}

// read takes one scenario in; a line it does not know is an error that names it.
func read(t *testing.T, text string) *notation {
	t.Helper()
	n := &notation{}
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		w := split(rest)
		switch verb {
		case "now":
			n.world.Now = clock(w.bare[0])
		case "taken":
			n.world.Taken = clock(w.bare[0])
		case "contract":
			n.contract(w)
		case "source":
			n.source(w)
		case "restored":
			n.restored(w)
		case "inferred":
			n.world.Gaps = append(n.world.Gaps, reconcile.Gap{Store: w.bare[0], From: clock(w.set["from"]), To: clock(w.set["to"])})
		case "incomparable":
			if n.world.Broken == nil {
				n.world.Broken = make(map[[2]string][]reconcile.Stretch)
			}
			pair, stretch := [2]string{w.bare[0], w.bare[1]}, reconcile.Stretch{Contract: w.set["contract"]}
			for name, end := range map[string]*reconcile.Instant{"from": &stretch.From, "to": &stretch.To} {
				if v, ok := w.set[name]; ok {
					*end = clock(v)
				}
			}
			n.world.Broken[pair] = append(n.world.Broken[pair], stretch)
		case "trail-unsure":
			n.world.Unsure = true
		case "decided":
			n.decided = append(n.decided, w)
		case "receipt", "effect", "provider", "intent", "outbox":
			n.record(verb, w)
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	return n
}

func (n *notation) contract(w words) {
	c := &reconcile.Contract{
		Name: w.bare[0], Operations: []string{w.bare[0]}, Scope: []string{"tenant", "operation", "key"},
		Settle: reconcile.DefaultSettle, Margin: time.Hour, TwinWindow: reconcile.DefaultTwinWindow,
		Atomic: w.has("atomic"), SharedEffects: w.has("shared"), Params: &reconcile.ParamSpec{},
	}
	c.Effect = map[string]reconcile.Legs{"local": reconcile.LegsLocal, "external": reconcile.LegsExternal, "both": reconcile.LegsBoth, "none": reconcile.LegsNone}[w.set["effect"]]
	c.Order = reconcile.OrderLocalFirst
	switch {
	case w.has("provider-first"):
		c.Order = reconcile.OrderProviderFirst
	case w.has("any-order"):
		c.Order = reconcile.OrderUnknown
	}
	if w.has("no-params") {
		c.Params = nil
	}
	if w.has("optional-key") {
		c.Key = reconcile.KeyOptional
	}
	for name, at := range map[string]*reconcile.Span{"approval-life": &c.ApprovalLife, "resend": &c.ResendAfter, "retention": &c.Retention, "window": &c.RetryWindow, "lease": &c.Lease, "dead": &c.DeadAfter, "within": &c.EffectWithin, "max-age": &c.ReplayMaxAge} {
		if v, ok := w.set[name]; ok {
			*at = reconcile.For(span(v))
		}
	}
	c.Expiry = map[string]reconcile.Expiry{"inclusive": {Inclusive: true}, "reaper": {ByReaper: true}}[w.set["expiry"]]
	if v, ok := w.set["exact"]; ok {
		c.Provider = &reconcile.Profile{Name: "exact", Dedup: true, Retention: reconcile.RetentionExact, For: span(v)}
	}
	if v, ok := w.set["margin"]; ok {
		c.Margin = span(v)
	}
	if v, ok := w.set["since"]; ok {
		c.Since = clock(v)
	}
	if v, ok := w.set["provider"]; ok {
		p, found := reconcile.ProfileByName(v)
		if !found {
			panic("no profile " + v)
		}
		c.Provider = &p
	}
	if v, ok := w.set["provider-scope"]; ok {
		c.Provider.Scope = strings.Split(v, ",")
	}
	if w.has("minted") {
		c.ProviderKey.Rule = reconcile.ProviderKeyMinted
	}
	if v, ok := w.set["template"]; ok {
		c.ProviderKey = reconcile.ProviderKey{Rule: reconcile.ProviderKeyTemplate, Template: v}
	}
	if w.has("rebuild") {
		c.Rebuild = &reconcile.Rebuild{ResponseStatus: 201}
	}
	if v, ok := w.set["fingerprint"]; ok {
		algorithm, over, _ := strings.Cut(v, ":")
		c.Fingerprint = &reconcile.FingerprintSpec{Algorithm: algorithm, Over: strings.FieldsFunc(over, func(r rune) bool { return r == ',' })}
	}
	for name, to := range map[string]*[]reconcile.Failure{"occupies": &c.Occupies, "frees": &c.Frees} {
		for _, f := range strings.FieldsFunc(w.set[name], func(r rune) bool { return r == ',' }) {
			*to = append(*to, reconcile.ParseFailure(f))
		}
	}
	if v, ok := w.set["exclude"]; ok {
		c.Params.Exclude = strings.Split(v, ",")
	}
	if v, ok := w.set["default"]; ok {
		name, text, _ := strings.Cut(v, ":")
		c.Params.Defaults = map[string]string{name: text}
	}
	if v, ok := w.set["four-eyes"]; ok {
		c.FourEyes = strings.Split(v, ",")
	}
	if v, ok := w.set["actor"]; ok {
		c.Actor = strings.Split(v, ",")
	}
	if v, ok := w.set["twin"]; ok {
		c.TwinWindow = span(v)
	}
	if v, ok := w.set["unique"]; ok {
		rule := reconcile.UniqueRule{Columns: strings.Split(v, ",")}
		if w.has("unique-effective") {
			rule.Where = map[string]string{"status": "effective"}
		}
		c.Unique = []reconcile.UniqueRule{rule}
	}
	if w.has("regional") {
		c.Scope = []string{"tenant", "operation", "region", "key"}
	}
	if v, ok := w.set["free"]; ok {
		c.Free = strings.Split(v, ",")
	}
	if w.has("key-column") {
		c.ProviderKey = reconcile.ProviderKey{Rule: reconcile.ProviderKeyColumn, Column: "provider_key"}
	}
	if v, ok := w.set["operations"]; ok {
		c.Operations = strings.Split(v, ",")
	}
	if v, ok := w.set["expects"]; ok {
		source, count, _ := strings.Cut(v, ":")
		m, err := strconv.Atoi(count)
		if err != nil {
			panic(err)
		}
		c.Expects = map[string]reconcile.Quantity{source: {Min: m, Max: m}}
	}
	n.book = append(n.book, c)
}

func (n *notation) source(w words) {
	role, err := reconcile.ParseRole(w.bare[1])
	if err != nil {
		panic(err)
	}
	f := reconcile.SourceFacts{
		Name: w.bare[0], Role: role, Serves: !w.has("backup"), MapsRef: true, MapsTime: true, Table: w.has("table"),
		Components: []string{"tenant", "operation", "key"}, Coverage: reconcile.Coverage{Complete: true, Proves: true, To: n.world.Now},
	}
	if w.has("keyless") {
		f.Components = []string{"tenant", "operation"}
	}
	if w.has("no-refs") {
		f.MapsRef = false
	}
	f.NoOwnRef, f.SentKeys, f.SentGone = w.has("no-own-ref"), w.has("sent-keys"), w.has("sent-gone")
	if v, ok := w.set["unnamed"]; ok {
		m := &reconcile.Record{Role: reconcile.RoleOutbox, CreatedAt: clock(v)}
		if v, ok := w.set["unnamed-tenant"]; ok {
			m.Components = []reconcile.Component{{Name: "tenant", Value: reconcile.Text(v)}}
		}
		if v, ok := w.set["unnamed-effect"]; ok {
			m.EffectID = reconcile.Text(v)
		}
		f.Unnamed = []reconcile.Unnamed{reconcile.NewUnnamed(m)}
	}
	f.Regions = strings.FieldsFunc(w.set["regions"], func(r rune) bool { return r == ',' })
	f.MapsAlias, f.RefKinds = w.has("aliases"), strings.FieldsFunc(w.set["kinds"], func(r rune) bool { return r == ',' })
	if v, ok := w.set["from"]; ok {
		f.Coverage.From = clock(v)
	}
	if v, ok := w.set["to"]; ok {
		f.Coverage.To = clock(v)
	}
	if v, ok := w.set["lag"]; ok {
		f.Coverage.Lag = span(v)
	}
	if v, ok := w.set["turn"]; ok {
		f.Turn = len(v) // spelled I, II, III
	}
	if v, ok := w.set["skew"]; ok {
		f.Skew = span(v)
	}
	if v, ok := w.set["retained"]; ok {
		f.Retained = reconcile.For(span(v))
	}
	if v, ok := w.set["broken"]; ok {
		f.Coverage.Complete, f.Coverage.Reason = false, v
	}
	if w.has("proves-nothing") {
		f.Coverage.Proves, f.Coverage.Reason = false, "its rows carry no time"
	}
	if v, ok := w.set["region"]; ok {
		f.Coverage.Partitions = map[string][]string{"tenant": {v}}
	}
	n.world.Sources = append(n.world.Sources, f)
}

func (n *notation) restored(w words) {
	ev := reconcile.Event{Store: w.bare[0]}
	if w.has("switched") {
		ev.Kind = reconcile.EventSwitched
	}
	if v, ok := w.set["tenant"]; ok {
		ev.Only = map[string][]string{"tenant": {v}}
	}
	if v, ok := w.set["from"]; ok {
		ev.From = clock(v)
	}
	if v, ok := w.set["to"]; ok {
		ev.To = clock(v)
	}
	n.world.Events = append(n.world.Events, ev)
}

func (n *notation) record(verb string, w words) {
	n.n++
	r := &reconcile.Record{Source: w.set["in"], Locator: fmt.Sprintf("%s/%d", w.set["in"], n.n), Claimed: true}
	r.Role = map[string]reconcile.Role{"receipt": reconcile.RoleReceipt, "effect": reconcile.RoleEffect, "provider": reconcile.RoleProvider, "intent": reconcile.RoleIntent, "outbox": reconcile.RoleOutbox}[verb]
	id := strings.Split(w.bare[0], "/")
	for i, name := range []string{"tenant", "operation", "key", "region"} {
		if i == 3 && len(id) < 4 {
			break
		}
		c := reconcile.Component{Name: name}
		if i < len(id) && id[i] != "-" {
			c.Value = reconcile.Text(id[i])
		}
		r.Components = append(r.Components, c)
	}
	state := ""
	if len(w.bare) > 1 {
		state = w.bare[1]
	}
	n.words(r, verb, state)
	if w.has("unclaimed") {
		r.Claimed = false
	}
	if w.has("not-ours") { // its operation is no word of the map
		r.NotOurs, r.Components[1].Value = true, reconcile.Value{}
	}
	for name, v := range w.set {
		if name != "in" {
			n.fact(r, name, v)
		}
	}
	n.recs = append(n.recs, r)
}

func (n *notation) words(r *reconcile.Record, verb, word string) {
	var err error
	switch {
	case word == "":
	case verb == "receipt":
		r.State, err = reconcile.ParseState(word)
	case verb == "effect":
		r.Status, err = reconcile.ParseStatus(word)
	case verb == "provider":
		r.Outcome, err = reconcile.ParseOutcome(word)
	case verb == "outbox":
		r.Sent, err = reconcile.ParseSent(word)
	case verb == "intent":
		var o reconcile.AttemptOutcome
		o, err = reconcile.ParseAttemptOutcome(word)
		r.Attempts = []reconcile.Attempt{{Outcome: o}}
	}
	if err != nil {
		panic(err)
	}
}

func (n *notation) fact(r *reconcile.Record, name, v string) {
	texts := map[string]*reconcile.Value{
		"effect": &r.EffectID, "object": &r.ObjectID, "alias": &r.AliasID, "ref": &r.ProviderRef, "request": &r.RequestID, "event": &r.EventID, "params": &r.Params,
		"fingerprint": &r.Fingerprint, "error": &r.ErrorCode, "business": &r.BusinessRef, "message": &r.MessageID, "provider-key": &r.ProviderKey, "body": &r.ResponseBody,
	}
	times := map[string]*reconcile.Instant{
		"at": &r.CreatedAt, "updated": &r.UpdatedAt, "done": &r.CompletedAt, "expires": &r.ExpiresAt, "lease": &r.LeaseUntil, "sent": &r.SentAt,
		"locked": &r.LockedAt, "confirmed": &r.ConfirmedAt, "due": &r.DueAt, "deleted": &r.DeletedAt, "revoked": &r.RevokedAt,
	}
	switch {
	case texts[name] != nil:
		*texts[name] = reconcile.Text(v)
		if in, ok := strings.CutPrefix(v, "{"); ok && (name == "object" || name == "ref" || name == "effect") { // a set
			*texts[name] = reconcile.Set([]byte(strings.TrimSuffix(in, "}")))
		}
	case times[name] != nil:
		*times[name] = clock(v)
	case name == "status":
		s, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			panic(err)
		}
		r.ResponseStatus = reconcile.Num(s)
	case name == "amount":
		minor, err := strconv.ParseInt(strings.TrimSuffix(v, "EUR"), 10, 64)
		if err != nil {
			panic(err)
		}
		r.Amount = reconcile.Amount{Minor: minor, Exponent: 2, Currency: "EUR", Valid: true}
	case name == "blur":
		r.Blur = span(v)
	case name == "generation":
		g, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			panic(err)
		}
		r.Generation = reconcile.Num(g)
	case name == "phase":
		p, err := reconcile.ParsePhase(v)
		if err != nil {
			panic(err)
		}
		r.Phase = p
	case name == "actor":
		r.Extra = append(r.Extra, reconcile.Component{Name: name, Value: reconcile.Text(v)})
	case name == "attempts":
		n.attempts(r, v)
	default:
		panic("unknown fact " + name)
	}
}

// attempts reads "02:00/uncertain,05:50/confirmed@eu-west-1,-/uncertain#K2" into an intent's attempts: - is an unknown time, # the key that was sent.
func (n *notation) attempts(r *reconcile.Record, v string) {
	r.Attempts = nil
	for _, a := range strings.Split(v, ",") {
		at, word, ok := strings.Cut(a, "/")
		if !ok {
			panic("attempt without outcome: " + a)
		}
		word, key, keyed := strings.Cut(word, "#")
		word, target, aimed := strings.Cut(word, "@")
		o, err := reconcile.ParseAttemptOutcome(word)
		if err != nil {
			panic(err)
		}
		a := reconcile.Attempt{Outcome: o}
		if at != "-" {
			a.At = clock(at)
		}
		if keyed {
			a.KeySent = reconcile.Text(key)
		}
		if aimed {
			a.Target = reconcile.Text(target)
		}
		r.Attempts = append(r.Attempts, a)
	}
}
