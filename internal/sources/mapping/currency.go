package mapping

import (
	"maps"
	"slices"
)

// CurrencyTable names the version of the table of minor units.
const CurrencyTable = "ISO 4217 list one as of 2025-07-01; withdrawn since 2018: HRK, SLL, ZWL, ANG, CUC, BGN kept"

// Providers do not always follow ISO 4217: some send UGX, ISK, HUF or TWD with two decimals where the standard or their own documents say
// none. An amount in minor units is therefore never scaled; its exponent is for showing and for reading major units only.

// currency is a code with its minor unit's decimal places.
type currency struct {
	code     string
	exponent uint8
}

var currencies = func() map[string]currency {
	m := make(map[string]currency, 200)
	add := func(exponent uint8, codes string) {
		for ; len(codes) >= 3; codes = codes[min(4, len(codes)):] {
			m[codes[:3]] = currency{code: codes[:3], exponent: exponent}
		}
	}
	add(0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")
	add(2, "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC "+
		"CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW "+
		"KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN "+
		"QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED "+
		"VES WST XCD XCG YER ZAR ZMW ZWG ZWL")
	add(3, "BHD IQD JOD KWD LYD OMR TND")
	add(4, "CLF UYW")
	return m
}()

// providerDecimals are where a provider counts other minor units than ISO 4217, by the names that a map's decimals may have. Of one that
// sources disagree on nobody knows the decimals. Version: see DecimalTables.
var providerDecimals = map[string]map[string]uint8{
	"stripe": {"ISK": 2, "MGA": 0, "UGX": disputed},
	"adyen":  {"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2},
}

// disputed stands for decimals that sources disagree on.
const disputed = 0xff

// DecimalTables names the versions of the providers' own tables of minor units.
const DecimalTables = "stripe: its zero-decimal list, adyen: its departures from ISO 4217, both as public integrations had them in 2026-11"

// decimalTables lists the names of the tables, sorted.
func decimalTables() []string { return slices.Sorted(maps.Keys(providerDecimals)) }

// maxCurrency is how long a code may be that the table does not know: points, tokens, a house's own units.
const maxCurrency = 12

// currencyOf returns the upper-case currency of b, with the decimals of the provider's table where that has it; known is false when no table has an exponent for
// it, ok is false when b cannot be a code.
func (m *Mapper) currencyOf(b []byte, provider map[string]uint8) (c currency, known, ok bool) {
	if len(b) == 0 || len(b) > maxCurrency {
		return currency{}, false, false
	}
	var upper [maxCurrency]byte
	for i, ch := range b {
		switch {
		case 'a' <= ch && ch <= 'z':
			ch -= 'a' - 'A'
		case 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9', ch == '.', ch == '-', ch == '_':
		default:
			return currency{}, false, false
		}
		upper[i] = ch
	}
	if c, known := currencies[string(upper[:len(b)])]; known {
		if exponent, own := provider[c.code]; own {
			c.exponent = exponent
		}
		return c, true, true
	}
	if code, seen := m.codes[string(upper[:len(b)])]; seen {
		return currency{code: code}, false, true
	}
	code := string(upper[:len(b)])
	if len(m.codes) < 64 {
		m.codes[code] = code
	}
	return currency{code: code}, false, true
}
