// Command release makes what a release carries beside the archives: the manual pages, the shell
// completions, and the npm packages.
//
//	go run ./cmd/release man DIR
//	go run ./cmd/release completions DIR
//	go run ./cmd/release npm -version 0.1.0 -dist dist -out dist/npm
//
// It is a command of its own because users of eddy have no use for it. cmd/release/check looks at what it made.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("expected a command: man, completions or npm")
	}
	switch args[0] {
	case "man":
		if len(args) != 2 {
			return fmt.Errorf("expected: man DIR")
		}
		return man(args[1])
	case "completions":
		if len(args) != 2 {
			return fmt.Errorf("expected: completions DIR")
		}
		return completions(args[1])
	case "npm":
		flags := flag.NewFlagSet("npm", flag.ContinueOnError)
		p := packer{}
		flags.StringVar(&p.version, "version", "", "version of the packages")
		flags.StringVar(&p.dist, "dist", "dist", "directory that goreleaser wrote")
		flags.StringVar(&p.out, "out", "dist/npm", "directory for the packages, one folder each")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return p.pack()
	}
	return fmt.Errorf("unknown command %q: expected man, completions or npm", args[0])
}

// eddy runs a command of the tree that is worked in. Tests link it once for all.
var eddy = func(args ...string) *exec.Cmd {
	return exec.Command("go", append([]string{"run", "-tags", "man", "./cmd/eddy"}, args...)...)
}

// man writes the manual pages, one for each command.
func man(dir string) error {
	out, err := eddy("man", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("manual pages: %w\n%s", err, out)
	}
	return nil
}

// completions writes a completion script for each shell that has one, with the binary of the manual pages: it is linked
// once for both.
func completions(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for shell, file := range map[string]string{"bash": "eddy.bash", "zsh": "_eddy", "fish": "eddy.fish",
		"powershell": "eddy.ps1"} {
		script, err := eddy("completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion for %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), script, 0o644); err != nil {
			return err
		}
	}
	return nil
}
