package session

import "testing"

// A command that a line shows finds the session from where it was started, in any shell.
func TestProjectOf(t *testing.T) {
	for _, c := range []struct {
		configs []string
		want    string
	}{
		{nil, ""},
		{[]string{"orders"}, " -c orders"},
		{[]string{"../a-b/wrangler.jsonc", "other"}, " -c ../a-b/wrangler.jsonc"},
		{[]string{"my shop/$x"}, " -c 'my shop/$x'"},
		{[]string{"it's"}, ` -c 'it'\''s'`},
	} {
		if got := projectOf(c.configs); got != c.want {
			t.Errorf("%q: %s, want %s", c.configs, got, c.want)
		}
	}
}
