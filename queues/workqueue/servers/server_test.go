package servers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// missing makes this test binary one that lacks its server.
const missing = "WORKQUEUE_SERVERS_MISSING"

func TestMain(m *testing.M) {
	if os.Getenv(missing) != "" {
		os.Exit(MissingAll("this package", errors.New("no-such-server is not installed")))
	}
	os.Exit(m.Run())
}

// The plain `go test` shows in the package's line that its tests did not run, -v the reason, and .ci/run fails.
func TestMissingAll(t *testing.T) {
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		env    string
		want   string
		passes bool
	}{
		{nil, "", "[no tests to run]", true},
		{[]string{"-v"}, "", "the tests of this package did not run: no-such-server is not installed", true},
		{nil, "required", "the tests of this package: no-such-server is not installed", false},
	} {
		cmd := exec.Command("go", append(append([]string{"test"}, c.args...), dir)...)
		cmd.Env = append(os.Environ(), missing+"=1", "WORKQUEUE_SERVERS="+c.env)
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.passes || !strings.Contains(string(out), c.want) {
			t.Errorf("go test %v with WORKQUEUE_SERVERS=%q: %v, want %q:\n%s", c.args, c.env, err, c.want, out)
		}
	}
}
