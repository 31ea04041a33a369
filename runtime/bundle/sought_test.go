package bundle

import (
	"os"
	"path/filepath"
	"testing"
)

// soughtProject finds its files by folders, links, and what tsconfig.json and those that it extends map.
func soughtProject(t *testing.T) (Options, *Shelf) {
	t.Helper()
	dir := project(t, map[string]string{
		"src/index.ts": `import { mod } from "./mod/inner"; import { c } from "./v/shared/c"; ` +
			`import { d } from "@lib/d"; import { pk } from "pk"; export default { fetch: () => mod + c + d + pk };`,
		"src/mod/inner/index.ts": `export const mod = 1;`,
		"src/v/.keep":            "",
		"common1/c.ts":           `export const c = 1;`, "common2/c.ts": `export const c = 2;`,
		"lib1/d.ts": `export const d = 1;`, "lib2/d.ts": `export const d = 2;`,
		"tsconfig.json":   `{"extends": "./base"}`,
		"base.json":       `{"extends": "shared/ts.json", /* jsonc */ "compilerOptions": {"strict": true,}}`,
		"nm1/pk/index.js": `export const pk = 1;`,
		"nm2/pk/index.js": `export const pk = 2;`,
		"nm1/shared/ts.json": `{"compilerOptions": {"paths": ` +
			`{"@lib/*": ["${configDir}/gen/*", "${configDir}/lib1/*"]}}}`,
		"nm2/shared/ts.json":       `{"compilerOptions": {"paths": {"@lib/*": ["${configDir}/lib2/*"]}}}`,
		"package.json":             `{"name": "sought"}`,
		"unrelated/pages/a/b/x.js": "",
	})
	link(t, filepath.Join("..", "..", "common1"), filepath.Join(dir, "src", "v", "shared"))
	link(t, "nm1", filepath.Join(dir, "node_modules"))
	return Options{Dir: dir, Entry: "src/index.ts"}, OpenShelf(filepath.Join(t.TempDir(), "bundles"))
}

func link(t *testing.T, target, path string) {
	t.Helper()
	_ = os.Remove(path) // the first time there is none
	if err := os.Symlink(target, path); err != nil {
		t.Skip("links are refused here: ", err)
	}
}

// TestShelfSeesWhatIsSought: each of these changes what an import finds, and no file that went in.
func TestShelfSeesWhatIsSought(t *testing.T) {
	for name, change := range map[string]func(*testing.T, string){
		"a file before a folder": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "src", "mod", "inner.ts"), `export const mod = 2;`)
		},
		"a link on the way": func(t *testing.T, dir string) {
			link(t, filepath.Join("..", "..", "common2"), filepath.Join(dir, "src", "v", "shared"))
		},
		"a link of all packages": func(t *testing.T, dir string) {
			link(t, "nm2", filepath.Join(dir, "node_modules"))
		},
		"a file of an earlier path": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "gen", "d.ts"), `export const d = 2;`)
		},
		"what tsconfig.json extends": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "base.json"), `{"compilerOptions": {"paths": {"@lib/*": ["./lib2/*"]}}}`)
		},
		"what that extends": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "nm1", "shared", "ts.json"),
				`{"compilerOptions": {"paths": {"@lib/*": ["${configDir}/lib2/*"]}}}`)
		},
		"a manifest of packages": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".pnp.data.json"), `{}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, s := soughtProject(t)
			before := shelve(t, s, o)
			if s.Take(o) == nil {
				t.Fatal("nothing was kept")
			}
			change(t, o.Dir)
			if s.Take(o) != nil {
				t.Error("the shelf gives a bundle of before")
			}
			if after, err := Build(o); name != "a manifest of packages" && (err != nil || after.Same(before)) {
				t.Errorf("the change changes nothing: %v", err)
			}
		})
	}
}

// TestShelfOfLinkedFolder: a project that is reached by a link is another one when the link leads elsewhere.
func TestShelfOfLinkedFolder(t *testing.T) {
	o, s := shelfProject(t)
	other := filepath.Join(filepath.Dir(o.Dir), "other")
	if err := os.CopyFS(other, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(other, "src", "two.js"), `export const two = 3;`)
	current := filepath.Join(t.TempDir(), "current")
	link(t, o.Dir, current)
	o.Dir = current
	shelve(t, s, o)
	if s.Take(o) == nil {
		t.Fatal("nothing was kept")
	}
	link(t, other, current)
	if s.Take(o) != nil {
		t.Error("the shelf gives the bundle of the other folder")
	}
}
