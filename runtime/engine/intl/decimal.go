package intl

import (
	"math"
	"strconv"
	"strings"
)

// plainDecimal is the shortest decimal text of a non-negative number, without an exponent.
func plainDecimal(f float64) string {
	return strconv.FormatFloat(math.Abs(f), 'f', -1, 64)
}

// roundDecimal rounds a non-negative decimal text. Either fraction digits (minFrac, maxFrac) or significant digits
// (minSig, maxSig) are given; the other pair is -1. mode is one of ECMA-402's rounding modes.
func roundDecimal(text string, negative bool, mode string, minFrac, maxFrac, minSig, maxSig int) string {
	whole, frac, _ := strings.Cut(text, ".")
	whole = strings.TrimLeft(whole, "0")
	digits := whole + frac
	point := len(whole) // digits before the decimal point
	keep := point + maxFrac
	if maxSig > 0 {
		lead := len(digits) - len(strings.TrimLeft(digits, "0"))
		keep = lead + maxSig
	}
	if keep < len(digits) {
		up := roundsUp(digits, max(keep, 0), keep < 0, negative, mode)
		digits = digits[:max(keep, 0)]
		if keep < 0 {
			digits = ""
		}
		if up {
			digits, point = increment(digits, point, keep)
		}
	}
	for len(digits) < point {
		digits += "0"
	}
	w, f := digits[:point], digits[point:]
	if w == "" {
		w = "0"
	}
	f = strings.TrimRight(f, "0")
	want := minFrac
	if maxSig > 0 {
		want = minSig - len(strings.TrimLeft(w, "0"))
		if strings.TrimLeft(w, "0") == "" {
			lead := len(f) - len(strings.TrimLeft(f, "0"))
			if strings.Trim(f, "0") != "" {
				want = minSig + lead
			} else {
				want = minSig - 1
			}
		}
	}
	for len(f) < want {
		f += "0"
	}
	if f == "" {
		return w
	}
	return w + "." + f
}

// roundsUp tells whether cutting the digits off behind the first keep of them rounds the number's amount up. before
// tells that the last place kept lies more than one place above the first digit: then the rest is less than a half.
func roundsUp(digits string, keep int, before, negative bool, mode string) bool {
	rest := digits[keep:]
	if strings.Trim(rest, "0") == "" {
		return false
	}
	half := -1 // rest compared with a half
	if !before {
		switch d := rest[0]; {
		case d > '5' || d == '5' && strings.Trim(rest[1:], "0") != "":
			half = 1
		case d == '5':
			half = 0
		}
	}
	switch mode {
	case "ceil":
		return !negative
	case "floor":
		return negative
	case "expand":
		return true
	case "trunc":
		return false
	}
	if half != 0 {
		return half > 0
	}
	switch mode {
	case "halfCeil":
		return !negative
	case "halfFloor":
		return negative
	case "halfTrunc":
		return false
	case "halfEven":
		return keep > 0 && (digits[keep-1]-'0')%2 == 1
	}
	return true
}

// increment adds one unit in the last kept place.
func increment(digits string, point, keep int) (string, int) {
	if keep < 0 {
		return "", point
	}
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != '9' {
			b[i]++
			return string(b), point
		}
		b[i] = '0'
	}
	return "1" + string(b), point + 1
}
