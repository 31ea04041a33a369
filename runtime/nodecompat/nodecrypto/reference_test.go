package nodecrypto_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// keys is an object with the texts of testdata/keys by the names of their files.
func keys(t *testing.T, rt *goja.Runtime) *goja.Object {
	t.Helper()
	files, err := filepath.Glob("testdata/keys/*.pem")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	o := rt.NewObject()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Set(strings.TrimSuffix(filepath.Base(file), ".pem"), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// The reference's answers, with keys and certificates that OpenSSL has made.
func TestReference(t *testing.T) { answers(t, "testdata/reference.txt") }

// Node's answers where the platform's are not followed.
func TestNode(t *testing.T) { answers(t, "testdata/node.txt") }

// answers runs a file of bodies and compares with the answers that stand there.
func answers(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	harness, err := os.ReadFile("testdata/harness.js")
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t)
	r.On(func() { _ = r.Loop.Runtime().Set("K", keys(t, r.Loop.Runtime())) })
	for _, block := range strings.Split(string(text), "\n-- ")[1:] {
		body, want, _ := strings.Cut(block, "\n")
		want, _, _ = strings.Cut(want, "\n# ")
		r.Expect(string(harness)+body, strings.TrimRight(want, "\n"))
	}
	for _, u := range r.Uncaught {
		t.Errorf("uncaught: %s", u)
	}
}

// What would take all memory or time is refused before it begins: a modulus of 0, for Go no modulus; a key file whose
// derivation has two billion rounds.
func TestEndless(t *testing.T) {
	file, err := os.ReadFile("testdata/keys/endless.pem")
	if err != nil {
		t.Fatal(err)
	}
	const c = `const c = require("crypto");`
	cases{
		{c + `const d = c.createDiffieHellman(Buffer.alloc(8)); d.generateKeys()`, "throws Error: modulus too small"},
		{c + `const d = c.createDiffieHellman(Buffer.alloc(8)); d.setPrivateKey(Buffer.alloc(1000, 255)); ` +
			`d.computeSecret(Buffer.from([3]))`, "throws Error: modulus too small"},
		{c + `try { c.publicDecrypt({ key: { kty: "RSA", n: "AA", e: "_____w" }, format: "jwk" }, ` +
			`Buffer.alloc(64, 3)) } catch (e) { return e.code }`, "ERR_OSSL_BAD_DECRYPT"},
		{c + "c.createPrivateKey({ key: `" + string(file) + "`, passphrase: 'x' })",
			"throws RangeError: The key derivation takes too long."},
	}.run(t)
}
