package webcrypto

import (
	"encoding/base64"
	"slices"
	"strings"
)

// jwk is a JSON Web Key (RFC 7517); nil members are missing.
type jwk struct {
	Kty                                               string
	Use, Alg, Crv, X, Y, D, N, E, P, Q, DP, DQ, QI, K *string
	Pub, Priv                                         *string
	KeyOps                                            []string
	hasOps                                            bool
	Ext                                               *bool
	otherPrimes                                       bool
}

// member is a string member under its name.
type member struct {
	name string
	at   **string
}

// members lists the string members in the order of the platform's dictionary.
func (j *jwk) members() []member {
	return []member{{"use", &j.Use}, {"alg", &j.Alg}, {"crv", &j.Crv}, {"x", &j.X}, {"y", &j.Y}, {"d", &j.D},
		{"n", &j.N}, {"e", &j.E}, {"p", &j.P}, {"q", &j.Q}, {"dp", &j.DP}, {"dq", &j.DQ}, {"qi", &j.QI}, {"k", &j.K},
		{"pub", &j.Pub}, {"priv", &j.Priv}}
}

// encoding64 makes a base64url member.
func encoding64(b []byte) *string {
	s := base64.RawURLEncoding.EncodeToString(b)
	return &s
}

// decoding64 reads a base64url member; it takes padding and the other alphabet too, as the platform does.
func decoding64(s *string) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	text := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(*s), "=")
	b, err := base64.RawStdEncoding.DecodeString(text)
	return b, err == nil
}

func optional(s string) *string { return &s }

// duplicate finds a member that stands twice in a list.
func duplicate(list []string) (string, bool) {
	sorted := slices.Sorted(slices.Values(list))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i], true
		}
	}
	return "", false
}
