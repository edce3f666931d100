package draft

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// spellings are the names under which services keep a fact, most telling first: those of ten independent migrations and of the stores that have presets.
var spellings = []struct {
	fact  string
	names []string
}{
	{"tenant", []string{"tenant_id", "tenant", "organization_id", "organisation_id", "workspace_id"}},
	{"principal", []string{"user_id", "caller_id", "api_client_id", "client_id", "customer_id"}},
	{"account", []string{"account_id", "merchant_id", "gateway_account_id"}},
	{"operation", []string{"operation_scope", "scope", "operation", "endpoint", "action", "route", "request_path", "path"}},
	{"key", []string{"idempotency_key", "idempotent_key", "idem_key", "request_key", "key"}},
	{"fingerprint", []string{"request_hash", "payload_hash", "request_fingerprint", "fingerprint", "body_hash"}},
	{"params", []string{"request_params", "request_body", "request_payload", "payload", "params"}},
	{"state", []string{"status", "state", "is_processing"}},
	{"response_status", []string{"response_status", "status_code", "response_code", "response_status_code"}},
	{"response_body", []string{"response_body", "response", "response_payload", "response_data"}},
	{"effect_id", []string{"resource_id", "result_id", "batch_id", "product_id", "execution_id", "order_id", "payment_id"}},
	{"provider_ref", []string{"stripe_charge_id", "stripe_payment_intent_id", "charge_id", "payment_intent_id", "psp_reference", "provider_reference", "provider_ref"}},
	{"created_at", []string{"created_at", "inserted_at", "created_date", "created"}},
	{"updated_at", []string{"updated_at", "last_run_at", "modified_at"}},
	{"locked_at", []string{"locked_at"}},
	{"lease_until", []string{"lock_expires_at", "locked_until", "lease_until"}},
	{"completed_at", []string{"completed_at", "finished_at", "processed_at"}},
	{"expires_at", []string{"expires_at", "expire_at", "expired_at", "expiry", "expiration"}},
}

// timed are the facts that are points in time.
var timed = []string{"created_at", "updated_at", "locked_at", "lease_until", "completed_at", "expires_at", "sent_at"}

// stateWords are the words in which services say how far a request got; what they do when it failed is their own.
var stateWords = map[string]string{
	"processing": "in-progress", "in_progress": "in-progress", "inprogress": "in-progress", "in-progress": "in-progress", "pending": "in-progress", "started": "in-progress",
	"running": "in-progress", "locked": "in-progress", "reserved": "in-progress", "new": "in-progress",
	"completed": "completed", "complete": "completed", "done": "completed", "success": "completed", "succeeded": "completed", "finished": "completed", "processed": "completed",
}

// guess reads a table that no preset fits by the spellings of its columns: receipts, rows that carry a key, an outbox. What it cannot tell it says so.
func guess(ctx context.Context, place sources.Place, t *Target, table *rows.Relation) (Source, bool, error) {
	columns := map[string]rows.Column{} // by fact
	for _, sp := range spellings {
		for _, name := range sp.names {
			i := slices.IndexFunc(table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, name) })
			if _, taken := columns[sp.fact]; i >= 0 && !taken {
				columns[sp.fact] = table.Columns[i]
			}
		}
	}
	bare := strings.ToLower(lastName(table.Name))
	key, keyed := columns["key"]
	telling := 0
	for _, fact := range []string{"fingerprint", "response_status", "response_body", "locked_at", "lease_until", "expires_at", "state"} {
		if _, ok := columns[fact]; ok {
			telling++
		}
	}
	g := guesser{table: table, columns: columns}
	switch {
	case table.View:
		return Source{}, false, nil
	case keyed && (strings.Contains(bare, "idempoten") || strings.Contains(bare, "receipt")), keyed && !strings.EqualFold(key.Name, "key") && (telling >= 3 || key.Key):
		g.out.Role = reconcile.RoleReceipt
	case strings.Contains(bare, "outbox"):
		return g.outbox()
	case keyed && !strings.EqualFold(key.Name, "key"):
		g.out.Role = reconcile.RoleEffect
	default:
		return Source{}, false, nil
	}
	seen, err := g.sample(ctx, place, t)
	if err != nil {
		return Source{}, false, err
	}
	g.identity()
	if g.out.Role == reconcile.RoleReceipt {
		g.receipt(seen)
	} else {
		g.effect()
	}
	g.times(seen)
	return g.out, true, nil
}

// guesser makes the map of one table.
type guesser struct {
	table   *rows.Relation
	columns map[string]rows.Column // by fact
	out     Source
}

// sampled is what the first rows of a table show, of the columns that must be looked at.
type sampled struct {
	words   map[string]bool  // of the state
	numbers map[string]int64 // of each time that is a number: the largest
}

// sample looks at the words of the state and at the size of times that are numbers; nothing else is read.
func (g *guesser) sample(ctx context.Context, place sources.Place, t *Target) (*sampled, error) {
	const most = 2000
	seen := &sampled{words: map[string]bool{}, numbers: map[string]int64{}}
	var facts []string
	var paths []rows.Path
	for _, fact := range append([]string{"state"}, timed...) {
		if c, ok := g.columns[fact]; ok && (fact == "state" || holds(c.Type, "number") || c.Type == "") {
			facts, paths = append(facts, fact), append(paths, rows.Path{Column: c.Name})
		}
	}
	if len(paths) == 0 {
		return seen, nil
	}
	spec := t.Spec
	spec.Table = g.table.Name
	_, err := sources.Peek(ctx, place, &spec, paths, most, func(cells []rows.Cell) {
		for i, c := range cells {
			switch {
			case facts[i] == "state" && c.Kind == rows.Text:
				seen.words[string(c.Text)] = true
			case facts[i] == "state" && (c.Kind == rows.Int || c.Kind == rows.Bool):
				seen.words[wordOf(c)] = true
			case c.Kind == rows.Int:
				seen.numbers[facts[i]] = max(seen.numbers[facts[i]], c.Num)
			}
		}
	})
	return seen, err
}

func wordOf(c rows.Cell) string {
	if c.Kind == rows.Bool {
		return strconv.FormatBool(c.Num != 0)
	}
	return strconv.FormatInt(c.Num, 10)
}

func (g *guesser) add(fact, from, note string) {
	g.out.Map = append(g.out.Map, Line{fact, from, note})
}

func (g *guesser) unsure(format string, a ...any) {
	g.out.Unsure = append(g.out.Unsure, fmt.Sprintf(format, a...))
}

// plain adds facts that are read from their column as it is.
func (g *guesser) plain(facts ...string) {
	for _, fact := range facts {
		if c, ok := g.columns[fact]; ok {
			g.add(fact, plain(path(c.Name)), "")
		}
	}
}

// path spells a column for a map.
func path(name string) string {
	if p, err := mapping.ParsePath(name); err == nil && len(p.Members) == 0 && p.Column == name {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func (g *guesser) identity() {
	g.plain("tenant", "principal", "account", "operation", "key")
	if c, ok := g.columns["operation"]; ok {
		g.unsure("operation: words turn what %s holds into the names of your operations, like words: {/v1/orders: create-order}", text.SafeString(c.Name))
	}
}

func (g *guesser) receipt(seen *sampled) {
	g.state(seen)
	g.plain("fingerprint", "params")
	if c, ok := g.columns["response_status"]; ok && holds(c.Type, "integer") {
		g.plain("response_status")
	}
	g.plain("response_body")
	c, ok := g.columns["effect_id"]
	if !ok {
		return
	}
	for _, kind := range []string{"resource_type", "result_type"} {
		if slices.ContainsFunc(g.table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, kind) }) {
			g.unsure("map: {effect_id: {parts: [%s, %s], join: \"/\"}}  # %[2]s counts within each %[1]s; the source of the rows needs effect_id: {from: id, prefix: \"Order/\"}", kind, path(c.Name))
			return
		}
	}
	g.add("effect_id", plain(path(c.Name)), "the row that the action made")
}

// state writes the words that the table holds; what a service means by a word for failure is left open.
func (g *guesser) state(seen *sampled) {
	c, ok := g.columns["state"]
	_, completed := g.columns["completed_at"]
	_, locked := g.columns["locked_at"]
	switch {
	case !ok && completed && locked:
		g.add("state", fmt.Sprintf("{in-progress: %s, completed: %s}", path(g.columns["locked_at"].Name), path(g.columns["completed_at"].Name)), "")
		return
	case !ok:
		if _, status := g.columns["response_status"]; !status {
			g.unsure("no column says how far a request got: every row is read as completed")
		}
		return
	case strings.EqualFold(c.Name, "is_processing"):
		g.add("state", fmt.Sprintf(`{from: %s, words: {"true": in-progress, "1": in-progress, "false": completed, "0": completed}}`, path(c.Name)), "")
		return
	}
	const most = 20 // a column with more words is no state
	if len(seen.words) > most {
		g.unsure("map: {state: {from: %s, words: {DONE: completed}}}  # it has more than %d words", path(c.Name), most)
		return
	}
	var words []string
	open := false
	for _, w := range slices.Sorted(maps.Keys(seen.words)) {
		if to := stateWords[strings.ToLower(w)]; to != "" {
			words = append(words, quoted(w)+": "+to)
			continue
		}
		open = true
		if w != "*" && w != "null" && !strings.HasPrefix(w, "~") { // those mean something in a map; any other word is unknown anyway
			words = append(words, quoted(w)+": unknown")
		}
	}
	words = append(words, `"*": unknown`)
	if open {
		g.unsure("state: say what its words mean: completed, failed-final (the key stays taken), failed-retryable (a retry executes), in-progress")
	}
	g.add("state", fmt.Sprintf("{from: %s, words: {%s}}", path(c.Name), strings.Join(words, ", ")), "")
}

// effect reads a business row: its id is its primary key, if that is one column.
func (g *guesser) effect() {
	keys := slices.DeleteFunc(slices.Clone(g.table.Columns), func(c rows.Column) bool { return !c.Key })
	if len(keys) == 1 {
		g.add("effect_id", plain(path(keys[0].Name)), "")
	}
	if c, ok := g.columns["provider_ref"]; ok && holds(c.Type, "text") {
		g.plain("provider_ref")
	}
	if _, ok := g.columns["operation"]; !ok {
		g.unsure("map: {operation: {value: create-order}}  # which of your operations makes these rows: no column says it")
	}
	i := slices.IndexFunc(g.table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, "amount") })
	if i >= 0 {
		g.unsure("map: {amount: {from: %s, unit: minor, currency: currency}}  # minor: cents; major: units with decimals", path(g.table.Columns[i].Name))
	}
	if c, ok := g.columns["state"]; ok {
		g.unsure("map: {status: {from: %s, words: {paid: effective, new: pending, cancelled: void}}}  # without it every row counts as effective", path(c.Name))
	}
	if c, ok := g.columns["response_status"]; ok {
		g.unsure("%s is not read: a row's response belongs to its receipt", path(c.Name))
	}
}

// times adds the points in time. One that names no zone is read as UTC, and said so; one that is a number has the unit that its size tells.
func (g *guesser) times(seen *sampled) {
	zoneless := false
	for _, fact := range timed {
		c, ok := g.columns[fact]
		if !ok || g.out.Role == reconcile.RoleEffect && (fact == "locked_at" || fact == "lease_until" || fact == "expires_at") {
			continue
		}
		if n, number := seen.numbers[fact]; number {
			g.add(fact, fmt.Sprintf("{from: %s, as: %s}", path(c.Name), mapping.LikelyUnit(n)), "by the size of its numbers")
			continue
		}
		if !holds(c.Type, "time") || holds(c.Type, "integer") && c.Type != "" {
			g.unsure("map: {%s: {from: %s, as: unix-s}}  # or unix-ms: no row shows which", fact, path(c.Name))
			continue
		}
		zoneless = zoneless || !strings.Contains(strings.ToLower(c.Type), "with time zone") && !strings.Contains(strings.ToLower(c.Type), "timestamptz")
		g.add(fact, fmt.Sprintf("{from: %s, zone: UTC}", path(c.Name)), "")
	}
	if zoneless {
		g.unsure("times that name no zone are read as UTC: give the zone in which the service writes them where it is another, like zone: Europe/Zurich")
	}
}

// outbox reads a table that is called so: what identifies a message, and whether it was sent.
func (g *guesser) outbox() (Source, bool, error) {
	g.out.Role = reconcile.RoleOutbox
	find := func(names ...string) string {
		for _, name := range names {
			if i := slices.IndexFunc(g.table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
				return g.table.Columns[i].Name
			}
		}
		return ""
	}
	id := find("message_id", "event_id", "id")
	sent := find("sent_at", "published_at", "dispatched_at", "processed_at", "delivered_at")
	if id == "" || sent == "" {
		return Source{}, false, nil
	}
	g.add("message_id", plain(path(id)), "")
	for _, f := range []struct{ fact, from string }{
		{"operation", find("event_type", "type", "topic", "name")}, {"effect_id", find("aggregate_id", "aggregateid")}, {"params", find("payload", "body", "data")},
	} {
		if f.from != "" {
			g.add(f.fact, plain(path(f.from)), "")
		}
	}
	g.columns = map[string]rows.Column{}
	for fact, name := range map[string]string{"created_at": cmp.Or(find("created_at", "occurred_at", "inserted_at")), "sent_at": sent} {
		if i := slices.IndexFunc(g.table.Columns, func(c rows.Column) bool { return c.Name == name }); i >= 0 {
			g.columns[fact] = g.table.Columns[i]
		}
	}
	g.times(&sampled{})
	return g.out, true, nil
}
