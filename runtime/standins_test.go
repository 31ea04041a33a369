package runtime

import (
	"strings"
	"testing"
)

// A stand-in answers for a binding without a local form: a Worker in the platform's wire form or by RPC, or a file of
// answers. The banner tells who answers; what nobody answers throws when it is used and says what to do (BIND-3,
// BIND-5, BIND-50, BIND-51, BIND-52, BIND-53, BIND-54, BIND-55, BIND-56, BIND-58, BIND-62).
func TestStandIns(t *testing.T) {
	p := newProject(t, "unused", "")
	for _, name := range []string{"app.jsonc", "eddy.jsonc", "media.jsonl", "model.jsonc", "model.js", "app.js"} {
		p.write(name, script("standins", name))
	}
	s := p.serve(using("app", "model"))
	if got, want := s.read("/"), strings.TrimSuffix(script("standins", "expect"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Banner(0)
	for _, want := range []string{"env.AI", "stand-in: Worker model", "stand-in: media.jsonl",
		"needs a stand-in when it is used"} {
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("the banner lacks %q:\n%s", want, s.out)
		}
	}
}
