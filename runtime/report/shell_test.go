package report

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"":                "''",
		"/a/b-c_d.jsonc":  "/a/b-c_d.jsonc",
		"/home/me/my app": "'/home/me/my app'",
		"it's":            `'it'\''s'`,
		"$HOME":           "'$HOME'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
