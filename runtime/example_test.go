package runtime_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"eddy/runtime"
	"eddy/runtime/worker"
)

// project writes a Worker and its configuration into a directory of its own.
func project(script string) string {
	dir, err := os.MkdirTemp("", "eddy-example-")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"wrangler.jsonc": `{ "name": "hello", "main": "index.js", "compatibility_date": "2026-04-01" }`,
		"index.js":       script,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	return dir
}

// A Worker is asked without a port, and nothing is written into its project.
func ExampleStart() {
	dir := project(`export default { fetch(request) { return new Response("hello from " + new ` +
		`URL(request.url).pathname); } };`)
	defer os.RemoveAll(dir)
	ctx := context.Background()

	s, err := runtime.Start(ctx, runtime.Options{Dir: dir})
	if err != nil {
		fmt.Println(runtime.Explain(err, false))
		return
	}
	defer s.Stop(ctx)
	h, err := s.Handler("")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/here", nil))
	fmt.Println(w.Code, w.Body)
	// Output: 200 hello from /here
}

// A reload that fails leaves the code from before in place, and Explain shows the mistake.
func ExampleSession_Reload() {
	dir := project(`export default { fetch() { return new Response("one"); } };`)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := runtime.Start(ctx, runtime.Options{Dir: dir})
	if err != nil {
		fmt.Println(runtime.Explain(err, false))
		return
	}
	defer s.Stop(ctx)
	if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte("export default {"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	err = s.Reload(ctx, "hello")
	fmt.Println(strings.Contains(runtime.Explain(err, false), `index.js:1:`))
	fmt.Println(s.Worker("hello") != nil)
	// Output:
	// true
	// true
}

// A program hears of exceptions that nobody caught.
func ExampleOptions_exception() {
	dir := project(`export default { fetch() { throw new RangeError("too far"); } };`)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := runtime.Start(ctx, runtime.Options{
		Dir:       dir,
		Exception: func(name string, ex *worker.Exception) { fmt.Println(name, "threw", ex.Name+":", ex.Message) },
	})
	if err != nil {
		fmt.Println(runtime.Explain(err, false))
		return
	}
	defer s.Stop(ctx)
	h, err := s.Handler("hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	// Output: hello threw RangeError: too far
}
