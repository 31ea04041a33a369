package worker

import "strings"

// redactURL hides what looks like a secret in a URL from tail consumers, by the platform's rules: runs of letters,
// digits and +-_ that are a hexadecimal id of 32 digits or more, probably a base64 id, or the number of a payment card.
func redactURL(url string) string {
	var out strings.Builder
	for len(url) > 0 {
		n := 0
		for n < len(url) && idByte(url[n]) {
			n++
		}
		if run := url[:n]; secretRun(run) {
			out.WriteString("REDACTED")
		} else {
			out.WriteString(run)
		}
		if n < len(url) {
			out.WriteByte(url[n])
			n++
		}
		url = url[n:]
	}
	return out.String()
}

func idByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '-' || c == '_'
}

func secretRun(run string) bool {
	var digits, upper, lower, hex int
	onlyHex := true
	for i := range len(run) {
		c := run[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			hex++
		case c == '+' || c == '-' || c == '_':
		default:
			if c >= 'a' {
				lower++
			} else {
				upper++
			}
			if c|0x20 <= 'f' {
				hex++
			} else {
				onlyHex = false
			}
		}
	}
	return hex >= 32 && onlyHex || len(run) >= 21 && digits >= 2 && upper >= 2 && lower >= 2 || cardNumber(run)
}

// cardNumber tells whether a run is 13 to 19 digits with a right check digit (Luhn), separators aside.
func cardNumber(run string) bool {
	digits, sum := 0, 0
	for i := len(run) - 1; i >= 0; i-- {
		c := run[i]
		if c == '+' || c == '-' || c == '_' {
			continue
		}
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if digits%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		digits++
	}
	return digits >= 13 && digits <= 19 && sum%10 == 0
}
