package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// There is one npm package that everybody installs, the wrapper, and one for each platform that holds nothing but the
// binary. The wrapper names all of them as optional dependencies; npm installs the one whose os and cpu fit.

const (
	wrapperName = "eddy-workers"
	description = "Run Cloudflare Workers with Queues and Durable Objects on your own machine"
)

//go:embed npm/eddy.js
var wrapperScript []byte

//go:embed npm/README.md
var wrapperReadme []byte

// platform is one target: in Go's words, and in those of Node.
type platform struct{ goos, goarch, os, cpu string }

var platforms = []platform{
	{"linux", "amd64", "linux", "x64"},
	{"linux", "arm64", "linux", "arm64"},
	{"darwin", "amd64", "darwin", "x64"},
	{"darwin", "arm64", "darwin", "arm64"},
	{"windows", "amd64", "win32", "x64"},
	{"windows", "arm64", "win32", "arm64"},
}

// pkg is the npm package of the platform; npm/eddy.js makes the same name of what Node says of the machine.
func (p platform) pkg() string { return "@" + wrapperName + "/" + p.os + "-" + p.cpu }

func (p platform) binary() string {
	if p.goos == "windows" {
		return "eddy.exe"
	}
	return "eddy"
}

// manifest is a package.json, in the order in which npm writes one.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"`
}

// packer makes the packages from the binaries of a finished build.
type packer struct{ version, dist, out string }

func (p packer) pack() error {
	if p.version == "" {
		return errors.New("-version is missing: the packages and their dependencies need it")
	}
	binaries, err := p.binaries()
	if err != nil {
		return err
	}
	wrapper := manifest{
		Name: wrapperName, Version: p.version, Description: description, Bin: map[string]string{"eddy": "bin/eddy.js"},
		Files: []string{"bin"}, Engines: map[string]string{"node": ">=18"}, Optional: map[string]string{},
	}
	for _, target := range platforms {
		wrapper.Optional[target.pkg()] = p.version
		m := manifest{
			Name: target.pkg(), Version: p.version, Description: fmt.Sprintf("The %s %s binary of %s", target.os,
				target.cpu, wrapperName),
			OS: []string{target.os}, CPU: []string{target.cpu}, Files: []string{"bin"}, PreferUnplug: true,
		}
		binary, err := os.ReadFile(binaries[target])
		if err != nil {
			return err
		}
		if err := p.write(target.os+"-"+target.cpu, m, map[string][]byte{"bin/" +
			target.binary(): binary}); err != nil {
			return err
		}
	}
	return p.write(wrapperName, wrapper, map[string][]byte{"bin/eddy.js": wrapperScript, "README.md": wrapperReadme})
}

// write makes one package's folder.
func (p packer) write(folder string, m manifest, files map[string][]byte) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files["package.json"] = append(text, '\n')
	for name, content := range files {
		path := filepath.Join(p.out, folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if filepath.Base(filepath.Dir(path)) == "bin" {
			mode = 0o755
		}
		if err := os.WriteFile(path, content, mode); err != nil {
			return err
		}
	}
	return nil
}

// artifact is an entry of goreleaser's dist/artifacts.json.
type artifact struct {
	Type, Goos, Goarch, Path string
}

// binaries finds the binary of every platform; one that is missing is an error.
func (p packer) binaries() (map[platform]string, error) {
	text, err := os.ReadFile(filepath.Join(p.dist, "artifacts.json"))
	if err != nil {
		return nil, fmt.Errorf("no finished build: %w", err)
	}
	var all []artifact
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(p.dist, "artifacts.json"), err)
	}
	found := map[platform]string{}
	var errs []error
	for _, target := range platforms {
		i := slices.IndexFunc(all, func(a artifact) bool {
			return a.Type == "Binary" && a.Goos == target.goos && a.Goarch == target.goarch
		})
		if i < 0 {
			errs = append(errs, fmt.Errorf("the build has no binary for %s/%s", target.goos, target.goarch))
			continue
		}
		path := all[i].Path // relative to the directory that dist is in
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(p.dist), filepath.FromSlash(path))
		}
		found[target] = path
	}
	return found, errors.Join(errs...)
}
