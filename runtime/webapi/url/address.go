package url

import (
	"errors"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var errHost = errors.New("invalid host")

var (
	forbiddenHost   = set{}.with("\x00\t\n\r #/:<>?@[\\]^|")
	forbiddenDomain = setC0.with(" #/:<>?@[\\]^|%\x7f")
)

func (s *set) anyIn(str string) bool {
	for i := range len(str) {
		if c := str[i]; c < 0x80 && s[c>>6]&(1<<(c&63)) != 0 {
			return true
		}
	}
	return false
}

// toASCII is domain to ASCII with beStrict false.
var toASCII = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckHyphens(false), idna.BidiRule(), idna.CheckJoiners(true), idna.VerifyDNSLength(false))

// parseHost is the standard's host parser. It returns the serialised host.
func parseHost(input string, special bool) (string, error) {
	if strings.HasPrefix(input, "[") {
		if !strings.HasSuffix(input, "]") {
			return "", errHost
		}
		return parseIPv6(input[1 : len(input)-1])
	}
	if !special {
		if forbiddenHost.anyIn(input) {
			return "", errHost
		}
		return encoded(input, &setC0), nil
	}
	ascii, err := domainToASCII(strings.ToValidUTF8(PercentDecode(input), "\uFFFD"))
	if err != nil || ascii == "" || forbiddenDomain.anyIn(ascii) {
		return "", errHost
	}
	if endsInNumber(ascii) {
		return parseIPv4(ascii)
	}
	return ascii, nil
}

// domainToASCII is toASCII. Nearly all domains only need to be lowercased, and for those it does no more.
func domainToASCII(domain string) (string, error) {
	plain, lower := true, true
	for i := range len(domain) {
		c := domain[i]
		if c >= utf8.RuneSelf {
			plain = false
			break
		}
		if c >= 'A' && c <= 'Z' {
			lower = false
		}
	}
	if plain {
		if !lower {
			domain = strings.ToLower(domain)
		}
		if !strings.HasPrefix(domain, "xn--") && !strings.Contains(domain, ".xn--") {
			return domain, nil
		}
	}
	return toASCII.ToASCII(domain)
}

func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if digits(last) {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// ipv4Number parses one part of an IPv4 address: decimal, hexadecimal after 0x, or octal after 0. A number that does
// not fit 64 bits becomes the largest one, which is too large for any address.
func ipv4Number(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case len(s) >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	if s[0] == '+' || s[0] == '-' || strings.Contains(s, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxUint64, true
	}
	return n, err == nil
}

func parseIPv4(host string) (string, error) {
	var four [4]string
	parts := four[:0]
	for rest, more := strings.TrimSuffix(host, "."), true; more; {
		if len(parts) == cap(parts) {
			return "", errHost
		}
		var part string
		part, rest, more = strings.Cut(rest, ".")
		parts = append(parts, part)
	}
	var addr uint64
	for i, p := range parts {
		n, ok := ipv4Number(p)
		if !ok {
			return "", errHost
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", errHost
			}
			addr |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return "", errHost
		}
		addr |= n
	}
	return netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}).String(), nil
}

// parseIPv6 serialises as the standard does: always in hexadecimal, unlike netip for mapped addresses.
func parseIPv6(s string) (string, error) {
	if strings.ContainsAny(s, "%") || !strings.Contains(s, ":") {
		return "", errHost
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return "", errHost
	}
	raw := addr.As16()
	var piece [8]uint16
	for i := range piece {
		piece[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	best, bestLen := -1, 1
	for i := 0; i < 8; i++ {
		j := i
		for j < 8 && piece[j] == 0 {
			j++
		}
		if j-i > bestLen {
			best, bestLen = i, j-i
		}
		i = max(i, j-1)
	}
	b := make([]byte, 0, 41)
	b = append(b, '[')
	for i := 0; i < 8; i++ {
		if i == best {
			if i == 0 {
				b = append(b, ':')
			}
			b = append(b, ':')
			i += bestLen - 1
			continue
		}
		b = strconv.AppendUint(b, uint64(piece[i]), 16)
		if i < 7 {
			b = append(b, ':')
		}
	}
	return string(append(b, ']')), nil
}
