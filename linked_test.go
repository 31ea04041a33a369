package eddy

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unlinked are packages that something eddy uses would bring along, each with what keeps it out. What is linked takes
// memory in every session: the code of its start, its tables, and the pages of the file around them.
var unlinked = map[string]string{
	"google.golang.org/grpc": "runtime/otlp has a client of its own in the place of otlptracehttp",
}

func TestNotLinked(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/eddy")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 300 {
		t.Fatalf("only %d packages", len(packages))
	}
	for _, p := range packages {
		for prefix, kept := range unlinked {
			if p == prefix || strings.HasPrefix(p, prefix+"/") {
				t.Errorf("%s is linked, but %s", p, kept)
			}
		}
	}
}
