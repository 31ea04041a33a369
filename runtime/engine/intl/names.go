package intl

import (
	_ "embed"
	"strings"
	"sync"
)

// namesText holds English names, a line each for regions, languages, scripts (code=name) and currencies
// (code=digits=name=singular=plural), separated by semicolons.
//
//go:embed names_en.txt
var namesText string

type currency struct {
	digits            int
	name, one, plural string
}

type names struct {
	byKind     map[string]map[string]string
	currencies map[string]currency
	codes      []string
}

var english = sync.OnceValue(func() *names {
	n := &names{byKind: map[string]map[string]string{}, currencies: map[string]currency{}}
	for _, line := range strings.Split(strings.TrimSpace(namesText), "\n") {
		kind, items, _ := strings.Cut(line, " ")
		n.byKind[kind] = map[string]string{}
		for _, item := range strings.Split(items, ";") {
			parts := strings.Split(item, "=")
			if kind != "currency" {
				n.byKind[kind][parts[0]] = parts[1]
				continue
			}
			n.currencies[parts[0]] = currency{int(parts[1][0] - '0'), parts[2], parts[3], parts[4]}
			n.codes = append(n.codes, parts[0])
		}
	}
	return n
})

func currencyCodes() []string { return english().codes }

func currencyDigits(code string) int {
	if c, ok := english().currencies[code]; ok {
		return c.digits
	}
	return 2
}

// currencyName returns the title of a currency if title is set, else what one or several units of it are called.
func currencyName(code string, title, one bool) string {
	c, ok := english().currencies[code]
	switch {
	case !ok:
		return code
	case title:
		return c.name
	case one:
		return c.one
	}
	return c.plural
}

func displayName(kind, code string) string {
	table := english().byKind[kind]
	if n, ok := table[code]; ok || kind != "language" {
		return n
	}
	// A tag with parts: "German (Switzerland)".
	parts := strings.Split(code, "-")
	base, ok := table[parts[0]]
	if !ok || len(parts) == 1 {
		return ""
	}
	var extra []string
	for _, p := range parts[1:] {
		for _, kind := range []string{"script", "region"} {
			if n := english().byKind[kind][p]; n != "" {
				extra = append(extra, n)
			}
		}
	}
	if len(extra) == 0 {
		return ""
	}
	return base + " (" + strings.Join(extra, ", ") + ")"
}

var unitNames = strings.Fields("acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon " +
	"gigabit gigabyte gram hectare hour inch " +
	"kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter " +
	"millimeter millisecond minute " +
	"month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year")
