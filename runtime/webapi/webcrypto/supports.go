package webcrypto

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
)

// ability is what SubtleCrypto.supports() knows of an operation: its algorithms, the dictionary by which they are read,
// and the members that each of them cannot do without.
type ability struct {
	dict       dictionary
	algorithms []string
}

var (
	ciphers = []string{"AES-CTR", "AES-CBC", "AES-GCM", "RSA-OAEP", chachaName}
	signers = []string{"HMAC", "RSASSA-PKCS1-v1_5", "RSA-PSS", "ECDSA", "Ed25519", "NODE-ED25519", "ML-DSA-44",
		"ML-DSA-65", "ML-DSA-87"}
	asymmetric = []string{"RSASSA-PKCS1-v1_5", "RSA-PSS", "RSA-OAEP", "ECDSA", "ECDH", "NODE-ED25519", "Ed25519",
		"X25519", "ML-KEM-768", "ML-KEM-1024", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}
	symmetric = []string{"AES-CTR", "AES-CBC", "AES-GCM", "AES-KW", "HMAC", chachaName}
	derivers  = []string{"HKDF", "PBKDF2", "ECDH", "X25519"}
	kemNames  = []string{"ML-KEM-768", "ML-KEM-1024"}
	hashNames = []string{"SHA-1", "SHA-256", "SHA-384", "SHA-512", "MD5", "SHA3-256", "SHA3-384", "SHA3-512"}
	wrappers  = append([]string{"AES-KW"}, ciphers...)
	exported  = slices.Concat(symmetric, asymmetric)
	imports   = slices.Concat(exported, []string{"HKDF", "PBKDF2"})
)

var abilities = map[string]ability{
	"encrypt": {encryptDict, ciphers}, "decrypt": {encryptDict, ciphers},
	"wrapKey": {encryptDict, wrappers}, "unwrapKey": {encryptDict, wrappers},
	"sign": {signDict, signers}, "verify": {signDict, signers},
	"digest": {hashDict, hashNames}, "generateKey": {generateDict, exported},
	"importKey": {importDict, imports}, "exportKey": {importDict, exported}, "getPublicKey": {importDict, asymmetric},
	"deriveBits": {deriveDict, derivers}, "deriveKey": {deriveDict, derivers},
	"encapsulateKey": {importDict, kemNames}, "encapsulateBits": {importDict, kemNames},
	"decapsulateKey": {importDict, kemNames}, "decapsulateBits": {importDict, kemNames},
}

// requiredFields are the members that an operation needs of an algorithm's dictionary.
func requiredFields(operation, name string, p *parameters) bool {
	switch operation {
	case "encrypt", "decrypt", "wrapKey", "unwrapKey":
		switch name {
		case "AES-CBC", "AES-GCM", chachaName:
			return p.has["iv"]
		case "AES-CTR":
			return p.has["counter"] && p.length != nil
		}
	case "sign", "verify":
		switch name {
		case "ECDSA":
			return p.hash != nil
		case "RSA-PSS":
			return p.saltLength != nil
		}
	case "deriveBits", "deriveKey":
		switch name {
		case "HKDF":
			return p.hash != nil && p.has["salt"] && p.has["info"]
		case "PBKDF2":
			return p.hash != nil && p.has["salt"] && p.iterations != nil
		}
		return p.public != nil
	case "generateKey", "importKey":
		return requiredOfKeys(operation == "generateKey", name, p)
	}
	return true
}

func requiredOfKeys(generating bool, name string, p *parameters) bool {
	switch {
	case strings.HasPrefix(name, "AES-"):
		return !generating || p.length != nil
	case name == "HMAC":
		return p.hash != nil
	case strings.HasPrefix(name, "RSA"):
		return p.hash != nil && (!generating || p.modulusLength != nil && p.has["publicExponent"])
	case name == "ECDSA" || name == "ECDH" || name == "NODE-ED25519":
		return p.namedCurve != nil
	}
	return true
}

// supports is SubtleCrypto.supports(operation, algorithm, lengthOrAdditionalAlgorithm).
func (a *api) supports(c *webidl.Call) bool {
	operation := c.String(0)
	if c.Missing(1) {
		c.ThrowNotOfType(1, "Value")
	}
	able, ok := abilities[operation]
	if !ok {
		return false
	}
	read := func(i int, d dictionary) (name string, p *parameters) {
		if a.h.Realm.Try(func() { p = algorithmArg(c, i, d) }) != nil {
			return "", nil
		}
		return p.name, p
	}
	name, p := read(1, able.dict)
	at := slices.IndexFunc(able.algorithms, func(n string) bool { return strings.EqualFold(n, name) })
	if p == nil || at < 0 || !requiredFields(operation, able.algorithms[at], p) {
		return false
	}
	switch operation {
	case "deriveKey", "encapsulateKey", "decapsulateKey", "unwrapKey":
		if goja.IsUndefined(c.Arg(2)) {
			return operation == "unwrapKey"
		}
		key, q := read(2, importDict)
		if q == nil || !slices.ContainsFunc(imports, func(n string) bool {
			return strings.EqualFold(n, key) && requiredOfKeys(operation == "deriveKey", n, q)
		}) {
			return false
		}
	case "wrapKey":
		if !goja.IsUndefined(c.Arg(2)) {
			key, _ := read(2, importDict)
			return slices.ContainsFunc(exported, func(n string) bool { return strings.EqualFold(n, key) })
		}
	}
	return true
}
