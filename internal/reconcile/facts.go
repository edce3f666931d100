package reconcile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sort"
	"strconv"
	"time"
)

// Fact is one mapped fact of a record, as text.
type Fact struct {
	Name  string
	Value Value
}

// FactsOf lists the known mapped facts of a record in a fixed order: what is compared, digested and shown beside the raw columns.
func FactsOf(r *Record) []Fact {
	var fs []Fact
	add := func(name string, v Value) {
		if v.known {
			fs = append(fs, Fact{name, v})
		}
	}
	word := func(name, w string) {
		if w != "" {
			fs = append(fs, Fact{name, Text(w)})
		}
	}
	at := func(name string, i Instant) {
		if i.known {
			fs = append(fs, Fact{name, Text(i.Time().Format(time.RFC3339Nano))})
		}
	}
	for _, c := range r.Components {
		add(c.Name, c.Value)
	}
	for _, c := range r.Extra {
		add(c.Name, c.Value)
	}
	word("key_from", r.KeyFrom)
	switch r.Role {
	case RoleReceipt:
		word("state", r.State.String())
	case RoleEffect:
		word("status", r.Status.String())
	case RoleProvider:
		word("outcome", r.Outcome.String())
	case RoleOutbox:
		word("sent", r.Sent.String())
	case RoleIntent:
	}
	word("phase", r.Phase.String())
	if r.ResponseStatus.Valid {
		add("response_status", Text(strconv.FormatInt(r.ResponseStatus.N, 10)))
	}
	add("response_body", r.ResponseBody)
	add("effect_id", r.EffectID)
	add("object_id", r.ObjectID)
	add("alias_id", r.AliasID)
	add("business_ref", r.BusinessRef)
	add("provider_ref", r.ProviderRef)
	add("request_id", r.RequestID)
	add("event_id", r.EventID)
	add("message_id", r.MessageID)
	add("provider_key", r.ProviderKey)
	add("original_id", r.OriginalID)
	add("parent", r.Parent)
	add("error_code", r.ErrorCode)
	add("mode", r.Mode)
	add("target", r.Target)
	add("fingerprint", r.Fingerprint)
	add("params", r.Params)
	if r.Amount.Valid {
		add("amount", Text(amountText(r.Amount)))
	}
	if r.Generation.Valid {
		add("generation", Text(strconv.FormatInt(r.Generation.N, 10)))
	}
	at("created_at", r.CreatedAt)
	at("updated_at", r.UpdatedAt)
	at("locked_at", r.LockedAt)
	at("lease_until", r.LeaseUntil)
	at("completed_at", r.CompletedAt)
	at("expires_at", r.ExpiresAt)
	at("attempt_at", r.AttemptAt)
	at("sent_at", r.SentAt)
	at("confirmed_at", r.ConfirmedAt)
	at("due_at", r.DueAt)
	at("deleted_at", r.DeletedAt)
	at("revoked_at", r.RevokedAt)
	if r.Blur > 0 {
		add("times_off_by", Text(r.Blur.String()))
	}
	for i, a := range r.Attempts {
		p := "attempts." + strconv.Itoa(i) + "."
		word(p+"outcome", a.Outcome.String())
		at(p+"at", a.At)
		add(p+"target", a.Target)
		add(p+"key_sent", a.KeySent)
	}
	return fs
}

// PayloadFact reports whether a fact may hold what the customer sent or got: it is masked until the operator asks.
func PayloadFact(name string) bool {
	return name == "params" || name == "response_body"
}

// amountText spells an amount exactly: 8990e-2 EUR would puzzle a person, 89.90 EUR does not.
func amountText(a Amount) string {
	digits := strconv.FormatInt(a.Minor, 10)
	sign := ""
	if a.Minor < 0 {
		sign, digits = "-", digits[1:]
	}
	for len(digits) <= int(a.Exponent) {
		digits = "0" + digits
	}
	if a.Exponent > 0 {
		cut := len(digits) - int(a.Exponent)
		digits = digits[:cut] + "." + digits[cut:]
	}
	if a.Currency == "" {
		return sign + digits
	}
	return sign + digits + " " + a.Currency
}

// String spells the amount in major units with its currency, "" when unknown.
func (a Amount) String() string {
	if !a.Valid {
		return ""
	}
	return amountText(a)
}

// recordText is a record's mapped facts as bytes in which equal bytes mean equal facts; it sorts records and names keyless ones.
func recordText(r *Record) []byte {
	var b []byte
	for _, f := range FactsOf(r) {
		b = binary.AppendUvarint(b, uint64(len(f.Name)))
		b = append(b, f.Name...)
		b = binary.AppendUvarint(b, uint64(len(f.Value.text)))
		b = append(b, f.Value.text...)
	}
	return b
}

// evidenceDigest is over the mapped facts and links of a subject's records, sorted and without repetitions: no locator, coverage or clock.
func evidenceDigest(s *Subject) string {
	sums := make([]string, 0, len(s.Evidence))
	for _, e := range s.Evidence {
		text := append([]byte(e.Record.Role.String()+"\x00"+e.Record.Source+"\x00"+e.Link.String()+"\x00"), recordText(e.Record)...)
		sum := sha256.Sum256(text)
		sums = append(sums, string(sum[:]))
	}
	sort.Strings(sums)
	h := sha256.New()
	for i, sum := range sums {
		if i == 0 || sum != sums[i-1] {
			h.Write([]byte(sum))
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
