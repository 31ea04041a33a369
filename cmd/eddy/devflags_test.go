package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"eddy/runtime/report"
)

// helpFlag is a flag as wrangler's help lists it.
type helpFlag struct {
	short   string
	names   []string
	kind    string // boolean, string, number, array, or "" where choices stand
	choices []string
}

var (
	helpLine   = regexp.MustCompile(`^ +(?:-(\w), +)?(--[a-z-]+(?:, --[a-z-]+)*)  +.*?\[(.+)\]$`)
	helpChoice = regexp.MustCompile(`"([^"]+)"`)
)

// wranglerHelp reads `wrangler dev --help`, as version 4.160 prints it.
func wranglerHelp(t *testing.T) (list []helpFlag) {
	t.Helper()
	text, err := os.ReadFile("testdata/wrangler-dev-help.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.Contains(line, " --") {
			continue
		}
		m := helpLine.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(strings.TrimSpace(line), "-") {
				t.Fatalf("not understood: %s", line)
			}
			continue
		}
		f := helpFlag{short: m[1]}
		for _, name := range strings.Split(m[2], ", ") {
			f.names = append(f.names, strings.TrimPrefix(name, "--"))
		}
		if rest, ok := strings.CutPrefix(m[3], "choices: "); ok {
			for _, c := range helpChoice.FindAllStringSubmatch(rest, -1) {
				f.choices = append(f.choices, c[1])
			}
		} else {
			f.kind, _, _ = strings.Cut(m[3], "]")
		}
		list = append(list, f)
	}
	if len(list) != 44 {
		t.Fatalf("%d flags in the help", len(list))
	}
	return list
}

// devWith parses arguments of `eddy dev` as a start does, without starting.
func devWith(t *testing.T, args ...string) (fl *pflag.FlagSet, notes []string, err error) {
	t.Helper()
	_, dev := newRoot(OS{Stdin: strings.NewReader(""), Stdout: &strings.Builder{}, Stderr: &strings.Builder{}})
	fl = dev.command.Flags()
	dev.command.InheritedFlags()
	dev.command.InitDefaultHelpFlag()
	dev.command.InitDefaultVersionFlag()
	if err := dev.command.ParseFlags(args); err != nil {
		return fl, nil, err
	}
	notes, refused := foreignGiven(fl)
	if refused != nil {
		return fl, notes, refused
	}
	if _, err := report.ParseLevel(dev.flags.logLevel); err != nil {
		return fl, notes, err
	}
	return fl, notes, dev.flags.settle(dev.command, nil)
}

// Every flag of wrangler dev is known under all its names, takes a value where it does there, and all of its choices.
// Which are not honoured stands here.
func TestWranglerDevFlags(t *testing.T) {
	noted := []string{"install-skills", "latest", "local", "profile"}
	refused := []string{"remote", "tunnel", "tunnel-allowed-mail", "tunnel-name", "types"}
	var gotNoted, gotRefused []string
	for _, f := range wranglerHelp(t) {
		value := map[string]string{"number": "9", "array": "A:1", "string": "x"}[f.kind]
		name := f.names[0]
		for _, n := range f.names {
			fl, _, _ := devWith(t)
			known := fl.Lookup(n)
			if known == nil {
				t.Errorf("--%s is not known", n)
				continue
			}
			if known.Shorthand != f.short {
				t.Errorf("--%s has the short form %q, want %q", n, known.Shorthand, f.short)
			}
			if isSwitch := known.NoOptDefVal != ""; isSwitch != (f.kind == "boolean") {
				t.Errorf("--%s: is a switch %v, in wrangler %s", n, isSwitch, f.kind)
			}
			if f.kind == "array" && known.Value.Type() != "stringArray" && !slices.Contains(refused, n) {
				t.Errorf("--%s may be given once, in wrangler several times", n)
			}
		}
		switch {
		case name == "https-key-path" || name == "https-cert-path": // they go together, which devflags.txtar tests
			continue
		case f.kind == "boolean":
			value = "true"
		case f.choices != nil:
			for _, c := range f.choices {
				if _, notes, err := devWith(t, "--"+name+"="+c); err != nil || len(notes) > 0 {
					t.Errorf("--%s=%s: %v %v", name, c, notes, err)
				}
			}
			if _, _, err := devWith(t, "--"+name+"=nonsense"); err == nil {
				t.Errorf("--%s=nonsense is taken", name)
			}
			continue
		}
		_, notes, err := devWith(t, "--"+name+"="+value)
		switch {
		case err != nil:
			gotRefused = append(gotRefused, name)
			if !strings.HasPrefix(err.Error(), "--"+name+" is not served: ") {
				t.Errorf("--%s is refused without a reason: %v", name, err)
			}
		case len(notes) > 0:
			gotNoted = append(gotNoted, name)
			if why, ok := strings.CutPrefix(notes[0], "--"+name+" has no effect: "); !ok || why == "" {
				t.Errorf("--%s: %v", name, notes)
			}
		}
	}
	slices.Sort(gotNoted)
	slices.Sort(gotRefused)
	if !slices.Equal(gotNoted, noted) || !slices.Equal(gotRefused, refused) {
		t.Errorf("taken with a line: %v, want %v\nrefused: %v, want %v", gotNoted, noted, gotRefused, refused)
	}
}
