package gojainternals

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCanary runs the tests of this package against another version of goja, which EDDY_GOJA names:
//
//	EDDY_GOJA=latest go test -run TestCanary -v ./runtime/engine/gojainternals
//
// What fails there is what must change here before the version is raised. The module's own files stay as they are.
// Without the variable it proves that the harness works, with the version of go.mod.
func TestCanary(t *testing.T) {
	if os.Getenv(inCanary) != "" {
		return // the tests of the other version are running
	}
	const module = "github.com/dop251/goja"
	version := os.Getenv("EDDY_GOJA")
	root := run(t, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if version == "" {
		version = run(t, root, "go", "list", "-m", "-f", "{{.Version}}", module)
	}
	mod := filepath.Join(t.TempDir(), "canary.mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": mod[:len(mod)-len("mod")] + "sum"} {
		text, err := os.ReadFile(filepath.Join(root, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("EDDY_GOJA") != "" {
		run(t, root, "go", "get", "-modfile="+mod, module+"@"+version)
	}
	t.Log(run(t, root, "go", "list", "-modfile="+mod, "-m", module))
	args := []string{"test", "-modfile=" + mod, "-count=1"}
	if os.Getenv("EDDY_GOJA") == "" {
		args = append(args, "-run=TestFieldsAreChecked")
	}
	t.Log(run(t, root, "go", append(args, "./runtime/engine/gojainternals")...))
}

// inCanary tells a process that it is the one that TestCanary has started.
const inCanary = "EDDY_IN_CANARY"

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), inCanary+"=1", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	for len(out) > 0 && out[len(out)-1] == '\n' {
		out = out[:len(out)-1]
	}
	return string(out)
}
