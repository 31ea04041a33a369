package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// build writes what goreleaser leaves behind, with a text in place of each binary.
func build(t *testing.T, leaveOut string) packer {
	dir := t.TempDir()
	var list []artifact
	for _, p := range platforms {
		name := p.goos + "_" + p.goarch
		if name == leaveOut {
			continue
		}
		path := filepath.Join(dir, "dist", name, p.binary())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("binary "+name), 0o755); err != nil {
			t.Fatal(err)
		}
		list = append(list, artifact{"Binary", p.goos, p.goarch, "dist/" + name + "/" + p.binary()})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dist", "artifacts.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return packer{version: "1.2.3", dist: filepath.Join(dir, "dist"), out: filepath.Join(dir, "npm")}
}

func TestPackages(t *testing.T) {
	p := build(t, "")
	if err := run([]string{"npm", "-version", p.version, "-dist", p.dist, "-out", p.out}); err != nil {
		t.Fatal(err)
	}
	read := func(folder string) (m manifest) {
		text, err := os.ReadFile(filepath.Join(p.out, folder, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	wrapper := read(wrapperName)
	if len(wrapper.Optional) != len(platforms) || wrapper.Bin["eddy"] != "bin/eddy.js" {
		t.Errorf("wrapper: %+v", wrapper)
	}
	for _, target := range platforms {
		m := read(target.os + "-" + target.cpu)
		if wrapper.Optional[m.Name] != "1.2.3" || m.OS[0] != target.os || m.CPU[0] != target.cpu {
			t.Errorf("%s: %+v", target.pkg(), m)
		}
		path := filepath.Join(p.out, target.os+"-"+target.cpu, "bin", target.binary())
		content, err := os.ReadFile(path)
		if err != nil || string(content) != "binary "+target.goos+"_"+target.goarch {
			t.Errorf("%s: %q, %v", path, content, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 && target.goos != "windows" {
			t.Errorf("%s cannot be executed: %v", path, err)
		}
	}
}

func TestPackagesNeedEveryPlatform(t *testing.T) {
	if err := build(t, "darwin_arm64").pack(); err == nil || !strings.Contains(err.Error(), "darwin/arm64") {
		t.Error(err)
	}
}

// The script asks for the packages by the names that they have.
func TestScriptNamesPackages(t *testing.T) {
	if want := "`@" + wrapperName + "/${process.platform}-${process.arch}`"; !strings.Contains(string(wrapperScript),
		want) {
		t.Errorf("npm/eddy.js does not ask for %s", want)
	}
}
