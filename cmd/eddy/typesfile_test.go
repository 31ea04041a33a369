package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var recordTypes = flag.String("types.record", "", "`command` of the reference (wrangler): record its declarations anew")

// Each case is a project, the arguments of wrangler types, and the file that it wrote. The declarations of the
// platform are workerd's own and not among them. eddy types writes the same, and finds what wrangler wrote up to date.
func TestTypesAreTheReferences(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/conformance/types/*.txtar")
	if err != nil || len(cases) < 20 {
		t.Fatal(len(cases), err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			arc, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir, args := t.TempDir(), []string{"types", "--include-runtime=false"}
			output, want := configurationTypes, ""
			var files []txtar.File
			for _, f := range arc.Files {
				switch f.Name {
				case "command":
					for _, arg := range strings.Fields(string(f.Data)) {
						if args = append(args, arg); strings.HasSuffix(arg, ".d.ts") {
							output = arg
						}
					}
				case "want":
					want = strings.TrimSuffix(string(f.Data), "\n")
					continue
				default:
					write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
				}
				files = append(files, f)
			}
			output = filepath.Join(dir, filepath.FromSlash(output))
			if *recordTypes != "" {
				cmd := exec.Command(*recordTypes, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				text, err := os.ReadFile(output)
				if err != nil {
					t.Fatal(err)
				}
				arc.Files = append(files, txtar.File{Name: "want", Data: append(text, '\n')})
				write(t, name, txtar.Format(arc))
				return
			}
			run := func(args ...string) (code int, said string) {
				var out bytes.Buffer
				code = Run(OS{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
					Getwd: func() (string, error) { return dir, nil }})
				return code, out.String()
			}
			if code, said := run(args...); code != exitOK {
				t.Fatalf("exit code %d: %s", code, said)
			}
			got, err := os.ReadFile(output)
			if err != nil || string(got) != want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, want, err)
			}
			write(t, output, []byte(want))
			if code, said := run(append(args, "--check")...); code != exitOK {
				t.Errorf("what wrangler wrote is out of date: %s", said)
			}
		})
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
