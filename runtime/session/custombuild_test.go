package session

import (
	"strings"
	"testing"
)

// The command sees the environment that the session was given, and nothing of the process's.
func TestCustomBuildEnvironment(t *testing.T) {
	t.Setenv("EDDY_OF_THE_PROCESS", "leaked")
	for name, environ := range map[string][]string{"none": nil, "given": {"GIVEN=yes"}} {
		t.Run(name, func(t *testing.T) {
			r := newProject(t, `
-- wrangler.jsonc --
{
	"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"build": { "command": "echo [$EDDY_OF_THE_PROCESS] [$GIVEN] for $WRANGLER_COMMAND" },
}
-- index.js --
export default { fetch() { return new Response("built"); } };
`).start(func(o *Options) { o.Environ = environ })
			r.expect("/", "built")
			want := "[] [" + strings.TrimPrefix(strings.Join(environ, ""), "GIVEN=") + "] for dev"
			if !strings.Contains(r.out.String(), want) {
				t.Errorf("no %q in\n%s", want, r.out)
			}
		})
	}
}
