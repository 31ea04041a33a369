package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestBorrow: a build that borrows the packages of another process gives what one without them gives, and builds them
// itself as soon as they have changed or something else is imported from them.
func TestBorrow(t *testing.T) {
	o, s := shelfProject(t)
	o.Apart = true
	path := func(name string) string { return filepath.Join(o.Dir, filepath.FromSlash(name)) }
	still := func(file string) {
		for Moved([]string{file}, time.Now()) { // else a builder takes no stamps
			runtime.Gosched()
		}
	}
	still(path("package.json"))
	for _, file := range []string{"package.json", "index.js", "add.js"} {
		still(path("node_modules/adder/" + file))
	}
	made := shelve(t, s, o)
	if made.Packages == nil {
		t.Fatal("the packages are part of the script")
	}
	if len(made.Packages.stamps) == 0 {
		t.Fatal("the packages have no stamps")
	}
	index, err := os.ReadFile(path("src/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name, file, text string
		borrows          bool
	}{
		{"nothing", "src/two.js", "export const two = 2;", true},
		{"a file of the user", "src/two.js", "export const two = 3;", true},
		{"the asset", "src/a.txt", "AA", true},
		{"a package", "node_modules/adder/add.js", "export const add = (a, b) => a - b;", false},
		{"another import", "src/two.js", `import * as all from "adder"; export const two = all.add(1, 1);`, false},
		{"an import that is missed", "src/two.js", `export { sub as two } from "adder";`, false},
	} {
		kept := s.Take(o)
		if kept == nil || kept.learned == nil {
			t.Fatalf("%s: the shelf gives %v", step.name, kept)
		}
		b, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		b.Borrow(kept)
		before, err := os.ReadFile(path(step.file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, path(step.file), step.text)
		want, whole := Build(o)
		got, err := b.Build()
		if (err == nil) != (whole == nil) || err != nil && err.Error() != whole.Error() {
			t.Errorf("%s: error %v, want %v", step.name, err, whole)
		}
		if err == nil && (!got.Same(want) || (got.Packages == kept.Packages) != step.borrows ||
			b.Borrows() != step.borrows) {
			t.Errorf("%s: borrows %v, script\n%s\nwant\n%s", step.name, b.Borrows(), got.Source, want.Source)
		}
		b.Close()
		write(t, path(step.file), string(before))
	}
	// The bundle of a builder that has borrowed is kept with what is known of its packages.
	kept := s.Take(o)
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Borrow(kept)
	write(t, path("src/index.js"), string(index)+"\n// another")
	got, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s.Put(o, got, time.Now().Add(time.Minute))
	if again := s.Take(o); again == nil || again.learned == nil || len(again.Packages.inputs) != 2 {
		t.Errorf("what was borrowed is not kept: %v", again)
	}
	// A bundler that has built all itself takes the script of the packages that is in use.
	b.apart.packages, b.apart.borrowed = nil, false
	whole, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	b.Unite(got, whole)
	if got.Packages != whole.Packages || b.apart.packages != whole.Packages {
		t.Error("the packages of two bundles are not united")
	}
}
