package webcrypto

import "math/bits"

// usages is a set of key usages.
type usages uint16

const (
	useEncrypt usages = 1 << iota
	useDecrypt
	useSign
	useVerify
	useDeriveKey
	useDeriveBits
	useWrapKey
	useUnwrapKey
	useEncapsulateKey
	useEncapsulateBits
	useDecapsulateKey
	useDecapsulateBits

	usePublic  = useEncrypt | useVerify | useWrapKey
	usePrivate = useDecrypt | useSign | useUnwrapKey | useDeriveKey | useDeriveBits
	useDerive  = useDeriveKey | useDeriveBits
)

var usageNames = [12]string{"encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey",
	"encapsulateKey", "encapsulateBits", "decapsulateKey", "decapsulateBits"}

// names are the usages in the platform's order.
func (u usages) names() []string {
	names := make([]string, 0, bits.OnesCount16(uint16(u)))
	for i, n := range usageNames {
		if u&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// purpose tells what a usage list is checked for.
type purpose string

const (
	generating      purpose = "generate"
	importingSecret purpose = "import secret"
	importPublic    purpose = "import public"
	importPrivate   purpose = "import private"
)

// checkUsages makes the set of a list, all of whose members must be allowed.
func checkUsages(algorithm string, to purpose, list []string, allowed usages) (usages, error) {
	var set usages
next:
	for _, name := range list {
		for i, n := range usageNames {
			if n == name && allowed&(1<<i) != 0 {
				set |= 1 << i
				continue next
			}
		}
		return 0, fail(syntaxError, `Attempt to %s %s key with invalid usage "%s".`, to, algorithm, name)
	}
	return set, nil
}
