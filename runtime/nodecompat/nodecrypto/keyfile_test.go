package nodecrypto

import "testing"

// FuzzKeyFile: no bytes that are said to be a key, a JSON Web Key or an encrypted one make their readers panic.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(`{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQ","p":"Aw","q":"BQ"}`))
	f.Add([]byte(`{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","d":"AQ"}`))
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":"AQ"}`))
	f.Add([]byte(`{"kty":"oct","k":"AQ"}`))
	f.Add([]byte("0\x30\x06\x09*\x86H\x86\xf7\r\x01\x05\r"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, private := range []bool{false, true} {
			if k, err := fromJWK(data, private); err == nil && k == nil {
				t.Fatal("no key and no error")
			}
		}
		_, _ = decryptPKCS8(data, "passphrase")
	})
}
