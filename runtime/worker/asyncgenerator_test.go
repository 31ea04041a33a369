package worker

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// run starts a Worker whose fetch handler answers with what the body of an async function returns.
func run(t *testing.T, code string) string {
	t.Helper()
	w := start(t, "const test = async () => {\n"+code+
		"\n};\nexport default { async fetch() { return new Response(String(await test())) } }", nil)
	_, body, err := get(t, w, "http://x/")
	if err != nil {
		t.Fatalf("%s\n%v", code, err)
	}
	return body
}

// Async generators come through the bundler as other code; a program must not see that.
func TestAsyncGenerators(t *testing.T) {
	for name, text := range archive(t, "asyncgenerators") {
		t.Run(name, func(t *testing.T) {
			code, want, ok := strings.Cut(strings.TrimSuffix(text, "\n"), "\n=> ")
			if !ok {
				t.Fatal("no result")
			}
			if got := run(t, code); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// The bundler's helpers are known whatever a program calls its own things.
func TestAsyncGeneratorNames(t *testing.T) {
	w := start(t, script("asyncgenerator_async_generator_names.js"), nil)
	_, body, err := get(t, w, "http://x/")
	if want := "1,2,3,,,,,,,,,,1,2,3,4,[object AsyncGenerator]"; err != nil || body != want {
		t.Errorf("got %s, %v, want %s", body, err, want)
	}
}

func BenchmarkAsyncIteration(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"for await", "let n = 0; for await (const v of g()) n += v;"},
		{"generators", "let n = 0; for (let i = 0; i < 100; i++) for await (const v of h()) n += v;"},
		{"delegated", "let n = 0; for await (const v of d()) n += v;"},
	} {
		b.Run(c.name, func(b *testing.B) {
			w, err := tryStart(&testing.T{}, `
				async function* g() { for (let i = 0; i < 1000; i++) yield await i }
				async function* h() { yield 1 }
				async function* d() { yield* g() }
				export default { async fetch() { `+c.code+` return new Response("" + n) } }`, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequest("GET", "http://x/", nil)
				r, err := w.Fetch(context.Background(), req, FetchOptions{})
				if err != nil {
					b.Fatal(err)
				}
				r.Body.Close()
			}
		})
	}
}
