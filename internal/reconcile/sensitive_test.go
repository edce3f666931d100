package reconcile

import "testing"

func TestShapeOf(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]KeyShape{
		"":                                     ShapePlain,
		"K1":                                   ShapePlain,
		"8d6f4c1e-4111-1111-1111-111111111111": ShapePlain, // a UUID
		"41111111-1111-1111-1111-111111111111": ShapePlain,
		"1732872000000000":                     ShapePlain, // microseconds
		"1234567890123456":                     ShapePlain,
		"4111111111111112":                     ShapePlain, // the check digit is wrong
		"9999999999999995":                     ShapePlain, // right, and no issuer's
		"411111111111116":                      ShapePlain, // right, and of no issuer's length
		"a4111111111111111":                    ShapePlain, // part of another word
		"4111111111111111f":                    ShapePlain,
		"4111 1111 1111 1111 1111 1111":        ShapePlain,
		"sk_live":                              ShapePlain,
		"task_sk_live_51H8abcdefghijklmnop":    ShapePlain, // not where a word begins
		"pk_live_51H8abcdefghijklmnop":         ShapePlain, // public by design
		"eyJhbGciOiJIUzI1NiJ9":                 ShapePlain, // one part only
		"AKIASHORT":                            ShapePlain,
		"Basically-not-a-secret-at-all":        ShapePlain,
		"orders@2024.11.29":                    ShapePlain,
		"user@host":                            ShapePlain,
		"@example.com":                         ShapePlain,
		"a@b.c":                                ShapePlain,
		"4111111111111111":                     ShapeCard,
		"order-4111111111111111":               ShapeCard,
		"4111-1111-1111-1111":                  ShapeCard,
		"card 5555 5555 5555 4444 paid":        ShapeCard,
		"378282246310005":                      ShapeCard,
		"30569309025904":                       ShapeCard,
		"3530111333300000":                     ShapeCard,
		"6011111111111117":                     ShapeCard,
		"2223003122003222":                     ShapeCard,
		"jane.doe+x@example.com":               ShapeEmail,
		"signup:jane@mail.example.co.uk:2":     ShapeEmail,
		"sk_live_51H8abcdefghijklmnop":         ShapeCredential,
		"retry:sk_test_51H8abcdefghijklmnop":   ShapeCredential,
		"AKIAIOSFODNN7EXAMPLE":                 ShapeCredential,
		"Bearer abcdefghijklmnop123":           ShapeCredential,
		"ghp_abcdefghijklmnopqrstuvwxyz012345": ShapeCredential,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlcw": ShapeCredential,
		"jane@example.com sk_live_51H8abcdefghijklmnop":       ShapeCredential,
	} {
		if got := ShapeOf([]byte(key)); got != want {
			t.Errorf("%q has the shape of %q, want %q", key, got, want)
		}
	}
}

// FuzzShapeOf holds that any bytes have a shape, and that masking leaves nothing of a key that has one.
func FuzzShapeOf(f *testing.F) {
	for _, seed := range []string{"4111-1111-1111-1111", "a@b.cd", "sk_live_0123456789abcdef", "\xff@\x00.", "- - -"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		shape := ShapeOf(key)
		if shape == ShapePlain {
			return
		}
		if masked := keyOf(Masked([]Component{{"key", Bytes(key)}}, shape)); masked.Equal(Bytes(key)) {
			t.Errorf("%q is shown as it is", key)
		}
	})
}
