package console_test

import (
	"testing"

	"eddy/runtime/webapi"
	"eddy/runtime/webapi/console"
	"eddy/runtime/webapi/webapitest"
)

// Platform objects with entries are shown as the reference's console.log shows them.
func TestPlatformEntries(t *testing.T) {
	r := webapitest.New(t, webapi.Install)
	for expr, want := range map[string]string{
		`new Headers()`:                          "Headers(0) { [immutable]: false }",
		`({ h: new Headers({ a: "b" }) })`:       "{ h: Headers(1) { 'a' => 'b', [immutable]: false } }",
		`Response.redirect("http://x/").headers`: "Headers(1) { 'location' => 'http://x/', [immutable]: true }",
		`new URLSearchParams()`:                  "URLSearchParams(0) {}",
		`new FormData()`:                         "FormData(0) {}",
	} {
		var got string
		r.On(func() {
			v, err := r.Loop.Runtime().RunString(expr)
			if err != nil {
				t.Errorf("%s: %v", expr, err)
				return
			}
			got = console.Inspect(r.Host, v, console.Defaults())
		})
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}
