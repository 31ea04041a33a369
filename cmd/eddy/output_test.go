//go:build linux || darwin

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// W-4: at a terminal, what destroys something asks for its name to be typed, and does nothing if another one is.
func TestConfirm(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.js":   "export default { fetch() { return new Response('ok'); } };",
		"names.json": `["a"]`,
		"wrangler.jsonc": `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
			"kv_namespaces": [{ "binding": "KV", "id": "things" }] }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := exec.LookPath("eddy") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	eddy := func(args ...string) *exec.Cmd {
		cmd := exec.Command(exe, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "EDDY_REGISTRY="+filepath.Join(dir, ".registry"), "HOME="+dir, "NO_COLOR=1")
		return cmd
	}
	if out, err := eddy("kv", "put", "KV", "a", "1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const asks = "This operation will permanently delete 1 key of KV. Type KV to proceed: "
	for _, c := range []struct {
		typed, want string
		code        int
	}{
		{"things", "the name does not match; nothing was deleted", exitFailure},
		{"KV", "Deleted 1 key", 0},
	} {
		cmd := eddy("kv", "bulk", "delete", "names.json", "--binding", "KV")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(tty, c.typed+"\n"); err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(tty) // Linux ends it with an error
		_ = cmd.Wait()            // the code says how it ended
		if err := tty.Close(); err != nil {
			t.Error(err)
		}
		if got := string(out); !strings.Contains(got, asks) || !strings.Contains(got, c.want) ||
			cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%q: exit code %d, want %d with %q\n%s", c.typed, cmd.ProcessState.ExitCode(), c.code, c.want, got)
		}
	}
}
