package reconcile

import "time"

// ProfileFact is one setting of a profile with what it rests on.
type ProfileFact struct {
	Setting string // retention, scope, body_check, remembers, lookup, lag, history
	Says    string
	Source  string // public documentation and, where it was kept, the date of reading
}

const (
	day = 24 * time.Hour

	stripeDocs   = "Stripe API reference, Idempotent requests, read 2026-10-15"
	stripeEvents = "Stripe API reference, Events; the day of reading was not kept"
	ec2Docs      = "Amazon EC2 developer guide, Ensuring idempotency in API requests, read 2026-09-08"
	cloudTrail   = "AWS CloudTrail user guide; the day of reading was not kept"
	adyenDocs    = "Adyen docs, API idempotency, read 2026-11-30"
	adyenOthers  = "code of others that cites Adyen's docs; an older page of these says 31 days: the shorter counts, read 2026-11-30"
	paypalDocs   = "PayPal developer docs, Idempotency, read 2026-11-30"
	paypalSpecs  = "PayPal REST API specifications; the day of reading was not kept"
	squareDocs   = "Square API specification; the day of reading was not kept"
	squareForum  = "Square developer forum, answer of the staff on key retention, read 2026-11-30"
	allowance    = "no figure is published: an allowance of this program, to be set to what was measured"
	unconfirmed  = "not confirmed: taken as the answer that allows least"
)

// Profiles are the shipped provider profiles. What nobody could confirm is in Required and must be given in the config, never guessed.
var Profiles = []Profile{
	{
		Name: "stripe-v1", Dedup: true, Retention: RetentionMinimum, For: day, Scope: []string{"account", "mode"}, BodyCheck: true,
		Remembers: "all", Lookup: "by-key", Lag: 15 * time.Minute, History: 30 * day, Source: stripeDocs,
		Facts: []ProfileFact{
			{"retention", "a key may be pruned once it is at least 24 hours old; afterwards it makes a new request", stripeDocs},
			{"scope", "keys belong to one account, live and test mode apart", unconfirmed},
			{"body_check", "a known key with other parameters is an error", stripeDocs},
			{"remembers", "status and body of the first request, also a 500, once execution began; not validation failures or concurrent conflicts", stripeDocs},
			{"lookup", "request.idempotency_key of an event", stripeEvents},
			{"lag", "15 minutes", allowance},
			{"history", "events are listed for 30 days", stripeEvents},
		},
	},
	{
		Name: "stripe-v2", Dedup: true, Scope: []string{"account", "mode"}, BodyCheck: false,
		Remembers: "success-only", Lookup: "by-key", Lag: 15 * time.Minute, History: 30 * day, Source: stripeDocs, Required: []string{"retention"},
		Facts: []ProfileFact{
			{"retention", "30 days are often quoted and were not confirmed", unconfirmed},
			{"scope", "keys belong to one account or sandbox", unconfirmed},
			{"body_check", "not documented", unconfirmed},
			{"remembers", "a retry repeats nothing that succeeded and drives failed work on: its response may differ from the first", stripeDocs},
			{"lookup", "the request data of an event", stripeEvents},
			{"lag", "15 minutes", allowance},
			{"history", "events are listed for 30 days", stripeEvents},
		},
	},
	ec2("aws-ec2-regional", "account", "region"),
	ec2("aws-ec2-zonal", "account", "region", "zone"),
	{
		Name: "adyen", Dedup: true, Retention: RetentionMinimum, For: 7 * day, Scope: []string{"account", "region"}, BodyCheck: false,
		Remembers: "success-only", Lookup: "by-reference", Lag: time.Hour, Source: adyenDocs,
		Facts: []ProfileFact{
			{"retention", "a key is valid for at least 7 days after its first submission", adyenOthers},
			{"scope", "keys belong to the company account; regions do not deduplicate for each other", adyenDocs},
			{"body_check", "not documented", unconfirmed},
			{"remembers", "which failures are kept is not documented", unconfirmed},
			{"lookup", "the key stands in no webhook; merchantReference does, and is not unique", "Adyen webhook library; the day of reading was not kept"},
			{"lag", "1 hour", allowance},
		},
	},
	{
		Name: "paypal", Dedup: true, Scope: []string{"account", "operation"}, BodyCheck: false,
		Remembers: "success-only", Lookup: "by-reference", Lag: 3 * time.Hour, History: 3 * 365 * day, Source: paypalDocs, Required: []string{"retention"},
		Facts: []ProfileFact{
			{"retention", "differs by API: orders v2 6 hours (72 on request), payments v2 45 days, payouts v1 30 days", paypalSpecs},
			{"scope", "request id and kind of call", paypalSpecs},
			{"body_check", "not documented", unconfirmed},
			{"remembers", "a known id returns the latest status of its request", paypalDocs},
			{"lookup", "the transaction search shows invoice_id and custom_field, not the request id", paypalSpecs},
			{"lag", "the transaction search may be 3 hours late", paypalSpecs},
			{"history", "the transaction search reaches back 3 years", paypalSpecs},
		},
	},
	{
		Name: "square", Dedup: true, Scope: []string{"account", "operation"}, BodyCheck: true,
		Remembers: "success-only", Lookup: "by-reference", Lag: time.Hour, Source: squareDocs, Required: []string{"retention"},
		Facts: []ProfileFact{
			{"retention", "no period is published", squareForum},
			{"scope", "keys are unique per endpoint", squareDocs},
			{"body_check", "IDEMPOTENCY_KEY_REUSED", squareDocs},
			{"remembers", "which failures are kept is not documented", unconfirmed},
			{"lookup", "neither responses nor webhooks show the key; reference_id and order_id do", squareDocs},
			{"lag", "1 hour", allowance},
		},
	},
	{
		Name: "generic-dedup", Dedup: true, Scope: []string{"account", "region", "mode"}, BodyCheck: false,
		Remembers: "success-only", Lookup: "none", Source: "declared by the config", Required: []string{"retention"},
	},
	{
		Name: "generic-lookup", Remembers: "none", Lookup: "by-reference", Source: "declared by the config",
	},
	{
		Name: "opaque", Remembers: "none", Lookup: "none", Source: "nothing is known",
	},
}

func ec2(name string, scope ...string) Profile {
	return Profile{
		Name: name, Dedup: true, Scope: scope, BodyCheck: true,
		Remembers: "success-only", Lookup: "by-key", Lag: 15 * time.Minute, History: 90 * day, Source: ec2Docs, Required: []string{"retention"},
		Facts: []ProfileFact{
			{"retention", "the guide gives no period", unconfirmed},
			{"scope", "the same client token in another region, or zone where the call is zonal, is another action", ec2Docs},
			{"body_check", "IdempotentParameterMismatch, unless only region or zone differ", ec2Docs},
			{"remembers", "a retry of what succeeded does nothing more; its result may show a newer state", ec2Docs},
			{"lookup", "clientToken in the request parameters of a CloudTrail record", cloudTrail},
			{"lag", "records are delivered within about 15 minutes, without a guarantee", cloudTrail},
			{"history", "the event history holds 90 days", cloudTrail},
		},
	}
}

// ProfileByName returns a shipped profile.
func ProfileByName(name string) (Profile, bool) {
	for i := range Profiles {
		if Profiles[i].Name == name {
			return Profiles[i], true
		}
	}
	return Profile{}, false
}
