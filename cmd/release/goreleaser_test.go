package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// goreleaser is as much of .goreleaser.yaml as there is; a key that is not here fails.
type goreleaser struct {
	Version     int
	ProjectName string `yaml:"project_name"`
	Before      struct{ Hooks []string }
	Builds      []struct {
		Main, Binary string
		Env, Flags   []string
		Ldflags      []string
		ModTimestamp string `yaml:"mod_timestamp"`
		Goos, Goarch []string
	}
	Archives []struct {
		NameTemplate    string `yaml:"name_template"`
		Formats         []string
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		Files []yaml.Node
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
	}
	Snapshot struct {
		VersionTemplate string `yaml:"version_template"`
	}
	Changelog, Release struct{ Disable bool }
}

// TestGoreleaserConfig: what .goreleaser.yaml names exists, its targets are those of the npm packages, and its version
// is eddy's. cmd/release/snapshot, which .ci/run runs, makes the same.
func TestGoreleaserConfig(t *testing.T) {
	root := filepath.Join("..", "..")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var c goreleaser
	decoder := yaml.NewDecoder(strings.NewReader(read(".goreleaser.yaml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if len(c.Builds) != 1 || len(c.Archives) != 1 {
		t.Fatalf("%d builds, %d archives", len(c.Builds), len(c.Archives))
	}
	script, version := read("cmd/release/snapshot"), read("cmd/eddy/version.go")
	build, archive := c.Builds[0], c.Archives[0]
	var targets, ours []string
	for _, goos := range build.Goos {
		for _, goarch := range build.Goarch {
			targets = append(targets, goos+"_"+goarch)
		}
	}
	for _, p := range platforms {
		ours = append(ours, p.goos+"_"+p.goarch)
	}
	if !strings.Contains(script, "for target in "+strings.Join(targets, " ")+";") {
		t.Errorf("cmd/release/snapshot builds other targets than %v", targets)
	}
	slices.Sort(targets)
	slices.Sort(ours)
	if !slices.Equal(targets, ours) {
		t.Errorf("goreleaser builds %v, the npm packages are for %v", targets, ours)
	}
	own := regexp.MustCompile(`(?m)^var version = "(.*)"`).FindStringSubmatch(version)
	if own == nil || !strings.HasPrefix(c.Snapshot.VersionTemplate, own[1]+"-") {
		t.Errorf("the snapshot is %q, cmd/eddy/version.go has %q", c.Snapshot.VersionTemplate, own)
	}
	if !slices.Equal(build.Env, []string{"CGO_ENABLED=0"}) || build.Main != "./cmd/eddy" || build.Binary != "eddy" ||
		!slices.Equal(build.Ldflags, []string{"-s -w -X main.version={{ .Version }}"}) ||
		archive.NameTemplate != "eddy_{{ .Version }}_{{ .Os }}_{{ .Arch }}" ||
		c.Checksum.NameTemplate != "checksums.txt" {
		t.Errorf("not what cmd/release/snapshot makes: %+v %+v %+v", build, archive, c.Checksum)
	}
	// Hooks are commands of this package, into folders that the archives take.
	hooks := map[string]string{}
	for _, h := range c.Before.Hooks {
		words := strings.Fields(h)
		if len(words) != 5 || strings.Join(words[:3], " ") != "go run ./cmd/release" {
			t.Errorf("hook %q", h)
			continue
		}
		hooks[words[4]+"/*"] = words[3]
		if err := run([]string{words[3]}); err == nil || strings.Contains(err.Error(), "unknown command") {
			t.Errorf("hook %q: %v", h, err)
		}
		if !strings.Contains(script, h+"\n") {
			t.Errorf("cmd/release/snapshot lacks %q", h)
		}
	}
	for _, f := range archive.Files {
		if f.Kind == yaml.ScalarNode {
			if read(f.Value) == "" || !strings.Contains(script, " "+f.Value+" ") {
				t.Errorf("archive: %s", f.Value)
			}
			continue
		}
		var moved struct{ Src, Dst string }
		if err := f.Decode(&moved); err != nil || hooks[moved.Src] != moved.Dst {
			t.Errorf("archive: no hook makes %s for %s (%v)", moved.Src, moved.Dst, err)
		}
	}
}

// TestDockerfile: what the image is made of exists, and the binary is built so that it needs nothing else.
// cmd/release/image builds the image and starts it, and looks that the binary is linked statically.
func TestDockerfile(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{"/etc/ssl/certs/ca-certificates.crt": true} // the base image has it
	made["/out"] = true
	built := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "RUN" && strings.Contains(line, "go build"):
			built, _, _ = strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "RUN")), " && ")
			for _, m := range regexp.MustCompile(`(?:-o|mkdir -m 1777) (/out/\S+)`).FindAllStringSubmatch(line, -1) {
				made[m[1]] = true
			}
		case words[0] == "COPY" && words[1] == "--from=build":
			if !made[words[2]] {
				t.Errorf("nothing makes %s", words[2])
			}
		case words[0] == "COPY":
			for _, name := range words[1 : len(words)-1] {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if want := `CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/eddy ./cmd/eddy`; built != want {
		t.Errorf("the image's binary is built by\n%s\nthat of .ci/run, as in a release, by\n%s", built, want)
	}
}
