package webcrypto

import (
	"bytes"
	"testing"
)

// FuzzLattice imports any bytes as keys of ML-KEM and ML-DSA in every form; what is taken comes out as it went in
// (BIND-174).
func FuzzLattice(f *testing.F) {
	formats := []string{"raw-public", "raw-seed", "spki", "pkcs8"}
	for i := range lattices {
		k, err := lattices[i].fromSeed(&lattices[i], make([]byte, lattices[i].seed))
		if err != nil {
			f.Fatal(err)
		}
		for form := range formats {
			key := lattices[i].key(k, Private, true, 0)
			if form%2 == 0 {
				key = lattices[i].key(k.open(), Public, true, 0)
			}
			b, _, err := key.export(formats[form])
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, form, b)
		}
	}
	f.Fuzz(func(t *testing.T, i, form int, b []byte) {
		l := &lattices[uint(i)%uint(len(lattices))]
		s := &source{format: formats[uint(form)%4], bytes: b, params: &parameters{name: l.name}, modern: true,
			extractable: true}
		if s.format == "raw-seed" || s.format == "pkcs8" {
			s.usages = l.forOwn.names()
		}
		k, err := importKey(s)
		if err != nil {
			return
		}
		if out, _, err := k.export(s.format); err != nil || s.format[:3] == "raw" && !bytes.Equal(out, b) {
			t.Errorf("%s as %s: %v", l.name, s.format, err)
		}
	})
}
