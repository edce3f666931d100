package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// canaries are what a real night may hold of real people. None of it may be found again, in whatever case it is written.
var canaries = []string{
	"Lovelace", "Ada", "ADA", "ada.lovelace@example.net", "byron", "+41 79 555 12 34", "0795551234", "CH9300762011623852957", "Kyoto-Tea", "kyoto", "cart-e1c5",
	"ch_4112", "4112", "Bahnhofstrasse", "hunter2", "4800", "129.50", "2026-11-29", "02:10:48", "wheelchair", "10.1.2.3", "4242424242424242", "sk_live_51H8x",
}

// TestNothingOfAnybodyIsLeft retells a night that is full of real-looking data and looks for every piece of it, in every file, under every name.
func TestNothingOfAnybodyIsLeft(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 2, 10, 48, 123e6, time.UTC)
	told := canaryNight(at)
	files, become, err := Retell(told, []byte("a secret"), -90*24*time.Hour-time.Duration(12345)*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		for _, canary := range canaries {
			if strings.Contains(strings.ToLower(name+"\n"+string(data)), strings.ToLower(canary)) {
				t.Errorf("%s: %q is left:\n%s", name, canary, data)
			}
		}
	}
	all := fmt.Sprint(files)
	for _, one := range become {
		for _, c := range one {
			if text := c.Value.String(); !strings.Contains(string(joined(files)), text) {
				t.Errorf("%s became %q, which stands nowhere: %s", c.Name, text, all)
			}
		}
	}
	if mail := become[1][1].Value; reconcile.ShapeOf(mail.Bytes()) != reconcile.ShapeEmail {
		t.Errorf("an address for a key became %q: the finding about it is lost", mail.String())
	}
	if card := become[2][1].Value; reconcile.ShapeOf(card.Bytes()) != reconcile.ShapeCard {
		t.Errorf("a card number for a key became %q", card.String())
	}
	if secret := become[3][1].Value; reconcile.ShapeOf(secret.Bytes()) != reconcile.ShapeCredential {
		t.Errorf("a credential for a key became %q", secret.String())
	}
}

func joined(files map[string][]byte) []byte {
	var out []byte
	for _, data := range files {
		out = append(out, data...)
	}
	return out
}

// canaryNight is one action for each shape of key, with names in free texts, in the names of members, in references made of keys and in the names of sources.
func canaryNight(at time.Time) *Told {
	fact := func(name, v string) reconcile.Fact { return reconcile.Fact{Name: name, Value: reconcile.Text(v)} }
	moment := at.Format(time.RFC3339Nano)
	told := &Told{
		Now: reconcile.At(at.Add(4 * time.Hour)), Contracts: []byte("- {name: checkout, operation: order, scope: [tenant, key], provider_key: \"order/{key}\"}\n"),
		Sources: []ToldSource{
			{Name: "kyoto-receipts", Role: reconcile.RoleReceipt, Fields: []string{"tenant", "operation", "key", "params", "response_body", "effect_id", "created_at"}, Coverage: reconcile.Coverage{Complete: true, Proves: true}},
			{Name: "byron", Role: reconcile.RoleProvider, Fields: []string{"tenant", "operation", "key", "object_id", "provider_key", "amount", "error_code", "mode", "business_ref", "created_at"}},
		},
	}
	for i, key := range []string{"cart-e1c5-1", "ada.lovelace@example.net", "4242424242424242", "sk_live_51H8xABCDEFGHIJKLMNOP"} {
		told.Cases = append(told.Cases, ToldCase{
			Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("Kyoto-Tea")}, {Name: "key", Value: reconcile.Text(key)}},
			Records: []ToldRecord{
				{Source: "kyoto-receipts", Facts: []reconcile.Fact{
					fact("tenant", "Kyoto-Tea"), fact("operation", "order"), fact("key", key), fact("effect_id", fmt.Sprint(4112+i)), fact("created_at", moment),
					fact("params", `{"buyer": "Ada Lovelace", "ada.lovelace@example.net": {"phone": "+41 79 555 12 34"}, "Ada Lovelace": 1, "total": 4800, "iban": "CH9300762011623852957", "born": "2026-11-29", "initials": "ADA", "n": 2}`),
					fact("response_body", "order 4112 of Kyoto-Tea for Ada Lovelace, Bahnhofstrasse 1 (cart-e1c5-1), password hunter2, needs a wheelchair, from 10.1.2.3"),
				}},
				{Source: "byron", Facts: []reconcile.Fact{
					fact("tenant", "Kyoto-Tea"), fact("operation", "order"), fact("key", key), fact("object_id", "ch_4112"), fact("provider_key", "order/"+key), fact("amount", "129.50 EUR"),
					fact("error_code", "card of Ada Lovelace was declined"), fact("mode", "live for ada.lovelace@example.net"), fact("business_ref", "Lovelace 0795551234 cart-e1c5-1"), fact("created_at", moment),
				}},
			},
		})
	}
	return told
}
