package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/reconcile"
)

// TestDisguiseKeepsWhatJoins requires that equal stays equal and different different, that a text inside another stays inside it, and that nothing is left.
func TestDisguiseKeepsWhatJoins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var keys []string
		for i := range rapid.IntRange(2, 6).Draw(t, "keys") {
			keys = append(keys, fmt.Sprintf("cart-%d%04d", i, rapid.IntRange(0, 9999).Draw(t, "key")))
		}
		d := newDisguise(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "secret"), time.Hour)
		for _, k := range keys {
			d.learn("key", k)
		}
		d.allow("provider_key: orders-{key}")
		d.ready()
		seen := make(map[string]bool)
		for _, k := range keys {
			out := d.text("text", k)
			if out != d.text("other", k) || out != d.names[k] || seen[out] || strings.Contains(out, k) {
				t.Fatalf("%q became %q", k, out)
			}
			seen[out] = true
			if made := d.text("text", "orders-"+k); made != "orders-"+out {
				t.Fatalf("a key made of %q became %q", k, made)
			}
		}
	})
}

// TestDisguiseKeepsTheOrderOfAmounts requires that what was less stays less, what was equal equal, and that no amount stays what it was by rule.
func TestDisguiseKeepsTheOrderOfAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Int64Range(-5, 1e9), 1, 20).Draw(t, "amounts")
		d := newDisguise([]byte("secret"), 0)
		d.order(slices.Clone(all))
		for _, a := range all {
			for _, b := range all {
				x, y := d.amount(reconcile.Amount{Minor: a}).Minor, d.amount(reconcile.Amount{Minor: b}).Minor
				if (a < b) != (x < y) || (a > 0) != (x > 0) {
					t.Fatalf("%d and %d became %d and %d", a, b, x, y)
				}
			}
		}
	})
}

// TestDisguiseOfAPayload replaces every text and number, and keeps what they are.
func TestDisguiseOfAPayload(t *testing.T) {
	t.Parallel()
	d := newDisguise([]byte("secret"), 0)
	d.learn("id", "4112")
	d.order([]int64{8990})
	d.plain["EUR"] = true
	d.ready()
	out := d.payload([]byte(`{"order_id": 4112, "name": "Ada Lovelace", "amount": 8990, "nights": 2, "currency": "EUR", "phone": 41795551234, "tags": ["ada", null, true], "id": "order 4112"}`))
	for _, told := range []string{"4112", "Ada", "ada", "8990", "41795551234"} {
		if strings.Contains(out, told) {
			t.Errorf("%s is still in %s", told, out)
		}
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got["nights"] != 2.0 || got["currency"] != "EUR" || got["tags"].([]any)[1] != nil {
		t.Errorf("what tells nothing of anybody is changed: %s", out)
	}
	if _, ok := got["order_id"].(float64); !ok {
		t.Errorf("an id that was a number is none: %s", out)
	}
	if again := d.payload([]byte(`{"name": "Ada Lovelace"}`)); !strings.Contains(out, strings.Trim(strings.TrimPrefix(again, `{"name":`), "}")) {
		t.Errorf("one name has two: %s, %s", out, again)
	}
	if left := d.payload([]byte("Ada Lovelace <ada@example.com>")); strings.Contains(left, "Ada") || strings.Contains(left, "ada@") {
		t.Errorf("what is no JSON is left: %s", left)
	}
}
