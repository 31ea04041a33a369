package bundle

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shelfProject has a package of two files, a file beside the entry, and an asset.
func shelfProject(t testing.TB) (Options, *Shelf) {
	t.Helper()
	dir := project(t, map[string]string{
		"src/index.js": `import { add } from "adder"; import { two } from "./two"; import text from "./a.txt"; ` +
			`export default { fetch: () => add(two, text.length) + /a(?<=b)/.source };`,
		"src/two.js": `export const two = 2;`, "src/a.txt": "A",
		"node_modules/adder/package.json": `{"name": "adder", "main": "index.js"}`,
		"node_modules/adder/index.js":     `export * from "./add.js";`,
		"node_modules/adder/add.js":       `export const add = (a, b) => a + b;`,
		"package.json":                    `{"name": "shelf"}`,
	})
	age(t, dir)
	return Options{Dir: dir, Entry: "src/index.js"}, OpenShelf(filepath.Join(t.TempDir(), "bundles"))
}

// age makes all files of a folder an hour old.
func age(t testing.TB, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shelve builds and puts.
func shelve(t testing.TB, s *Shelf, o Options) *Bundle {
	t.Helper()
	b, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Put(o, b, time.Now().Add(time.Minute)) // as if the files had been there for a minute
	return b
}

// TestShelfGivesTheSame: what comes from the shelf is what was put, with places and assets.
func TestShelfGivesTheSame(t *testing.T) {
	o, s := shelfProject(t)
	if s.Take(o) != nil {
		t.Fatal("an empty shelf gives a bundle")
	}
	want := shelve(t, s, o)
	got := s.Take(o)
	if got == nil {
		t.Fatal("the shelf does not have what was put")
	}
	if !got.Same(want) || !want.Same(got) {
		t.Error("the bundle is another one")
	}
	for _, f := range []func(*Bundle) any{
		func(b *Bundle) any { return b.Exports }, func(b *Bundle) any { return b.Imports },
		func(b *Bundle) any { return b.Inputs }, func(b *Bundle) any { return b.Assets },
		func(b *Bundle) any { return b.Warnings },
	} {
		if diff := cmp.Diff(f(want), f(got)); diff != "" {
			t.Error(diff)
		}
	}
	for line := 1; line < 20; line++ {
		for column := 1; column < 120; column++ {
			a, found := want.Map.Lookup(line, column)
			b, again := got.Map.Lookup(line, column)
			if a != b || found != again {
				t.Fatalf("%d:%d is %v, from the shelf %v", line, column, a, b)
			}
		}
	}
	got.program.tree, _ = check(got.Source, got.Map) // package worker parses it
	h, err := start(t, got, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out := call(t, h, h.get(t, "default").ToObject(h.rt).Get("fetch")); out != "3a(?<=b)" {
		t.Errorf("the Worker says %q", out)
	}
}

// TestShelfSeesChanges: whatever may make a build come out otherwise makes the shelf give nothing.
func TestShelfSeesChanges(t *testing.T) {
	file := func(name, text string) func(*testing.T, *Options) {
		return func(t *testing.T, o *Options) { write(t, filepath.Join(o.Dir, filepath.FromSlash(name)), text) }
	}
	for name, change := range map[string]func(*testing.T, *Options){
		"the entry":                  file("src/index.js", "export default {}"),
		"a file of a package":        file("node_modules/adder/add.js", "export const add = (a, b) => b + a;"),
		"an asset":                   file("src/a.txt", "B"),
		"a package.json":             file("node_modules/adder/package.json", `{"name": "adder", "main": "add.js"}`),
		"a new tsconfig.json":        file("tsconfig.json", `{"compilerOptions": {"paths": {"adder": ["./src/two"]}}}`),
		"a file that is found first": file("src/two.ts", "export const two = 3;"),
		"a nearer package":           file("src/node_modules/adder/index.js", "export const add = () => 0;"),
		"a removed file":             func(t *testing.T, o *Options) { remove(t, o.Dir, "src/two.js") },
		"a link that leads elsewhere": func(t *testing.T, o *Options) {
			linked := filepath.Join(o.Dir, "node_modules", "linked")
			if err := os.Symlink(filepath.Join(o.Dir, "src"), linked); err != nil {
				t.Fatal(err)
			}
		},
		"another define": func(_ *testing.T, o *Options) { o.Define = map[string]string{"X": "1"} },
		"another module of the host": func(_ *testing.T, o *Options) {
			o.Virtual = []VirtualModule{{Name: "node:fs", Exports: []string{"default"}}}
		},
		"stops for a debugger": func(_ *testing.T, o *Options) { o.Stops = true },
	} {
		t.Run(name, func(t *testing.T) {
			o, s := shelfProject(t)
			shelve(t, s, o)
			if s.Take(o) == nil {
				t.Fatal("nothing was kept")
			}
			change(t, &o)
			if s.Take(o) != nil {
				t.Error("the shelf gives a bundle of before")
			}
		})
	}
}

func remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// TestShelfIgnores: what no import finds by itself changes nothing.
func TestShelfIgnores(t *testing.T) {
	o, s := shelfProject(t)
	shelve(t, s, o)
	write(t, filepath.Join(o.Dir, "src", ".index.js.swp"), "x")
	write(t, filepath.Join(o.Dir, ".wrangler", "state", "x"), "x")
	if s.Take(o) == nil {
		t.Error("hidden files make the shelf give nothing")
	}
}

// TestShelfOfCopies: a copy of a project starts with the bundle of the first one, with paths of its own, and a file of
// the user that was written anew as it was changes nothing.
func TestShelfOfCopies(t *testing.T) {
	o, s := shelfProject(t)
	want := shelve(t, s, o)
	above := filepath.Dir(o.Dir)
	copied := func(dir string) Options {
		if err := os.CopyFS(dir, os.DirFS(o.Dir)); err != nil {
			t.Fatal(err)
		}
		age(t, dir)
		old := time.Now().Add(-2 * time.Hour)
		times(t, filepath.Join(dir, "src", "two.js"), old)
		for _, name := range []string{"package.json", "index.js", "add.js"} {
			path := filepath.Join("node_modules", "adder", name)
			info, err := os.Stat(filepath.Join(o.Dir, path))
			if err != nil {
				t.Fatal(err)
			}
			times(t, filepath.Join(dir, path), info.ModTime())
		}
		moved := o
		moved.Dir = dir
		return moved
	}
	beside := copied(filepath.Join(above, "beside"))
	got := s.Take(beside)
	if got == nil || !got.Same(want) {
		t.Fatal("the copy's bundle is not there")
	}
	built, err := Build(beside)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(built.Inputs, got.Inputs) + cmp.Diff(built.Assets, got.Assets); diff != "" {
		t.Error(diff)
	}
	for line := 1; line < 20; line++ {
		if a, _ := built.Map.Lookup(line, 5); a != first(got.Map.Lookup(line, 5)) {
			t.Errorf("line %d is %v", line, a)
		}
	}
	if s.Take(copied(filepath.Join(above, "far", "below"))) != nil {
		t.Error("a copy below a folder that may have a package.json has the same bundle")
	}
	times(t, filepath.Join(o.Dir, "node_modules", "adder", "add.js"), time.Now().Add(-time.Minute))
	if s.Take(o) == nil {
		t.Error("a package was installed anew as it was, and the shelf gives nothing")
	}
}

func first(p Position, _ bool) Position { return p }

func times(t testing.TB, path string, to time.Time) {
	t.Helper()
	if err := os.Chtimes(path, to, to); err != nil {
		t.Fatal(err)
	}
}

// TestShelfOfMovingFiles: a bundle whose files were written while it was built is not kept.
func TestShelfOfMovingFiles(t *testing.T) {
	o, s := shelfProject(t)
	now := time.Now()
	if err := os.Chtimes(filepath.Join(o.Dir, "src", "two.js"), now, now); err != nil {
		t.Fatal(err)
	}
	b, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Put(o, b, now)
	if s.Take(o) != nil {
		t.Error("a bundle of moving files was kept")
	}
}

// TestShelfDamage: a damaged file gives nothing and is gone.
func TestShelfDamage(t *testing.T) {
	o, s := shelfProject(t)
	shelve(t, s, o)
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, good...)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"empty": {}, "cut": good[:len(good)-3], "flipped": flipped} {
		write(t, files[0], string(bad))
		if s.Take(o) != nil {
			t.Errorf("%s: the shelf gives a bundle", name)
		}
		if _, err := os.Stat(files[0]); err == nil {
			t.Errorf("%s: the file is still there", name)
		}
	}
}

// summed puts the right checksum behind what a file has.
func summed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(append([]byte{}, body...), crc32.Checksum(body, castagnoli))
}

// FuzzShelf reads damaged files whose checksum is right.
func FuzzShelf(f *testing.F) {
	o, s := shelfProject(f)
	shelve(f, s, o)
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) != 1 {
		f.Fatal(files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[:len(good)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, b, err := unpack(summed(body), "/x"); err == nil {
			b.Map.Lookup(1, 1)
		}
	})
}
