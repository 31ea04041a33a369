//go:build unix

package servers

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// What a server begins with is what initdb has made, folders without files too; half a file is nothing, and the folder
// is not there.
func TestTemplate(t *testing.T) {
	dir := t.TempDir()
	made, program := filepath.Join(dir, "made"), filepath.Join(dir, "initdb")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(program, "a program")
	write(filepath.Join(made, "PG_VERSION"), "15\n")
	write(filepath.Join(made, "base", "1", "112"), "a page")
	if err := os.MkdirAll(filepath.Join(made, "pg_stat", "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "kept")
	file := template(folder, program, []string{"-A", "trust"})
	if file == "" || file == template(folder, program, []string{"-A", "md5"}) {
		t.Fatalf("%q is the file for every argument", file)
	}
	if fromTemplate(file, filepath.Join(dir, "early"), -1, -1) {
		t.Error("there are data before any were kept")
	}
	// Processes keep and take at the same time.
	var beside sync.WaitGroup
	for range 4 {
		beside.Go(func() { keepTemplate(file, made) })
	}
	beside.Wait()
	again := filepath.Join(dir, "again")
	if !fromTemplate(file, again, os.Getuid(), os.Getgid()) {
		t.Fatal("what was kept is not there")
	}
	if want, got := tree(t, made), tree(t, again); got != want || got == "" {
		t.Errorf("kept were\n%s\nof\n%s", got, want)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, torn := range []string{"", string(whole[:len(whole)-600]), string(whole[:600]) + "x" + string(whole[601:])} {
		write(file, torn)
		data := filepath.Join(dir, "torn")
		if fromTemplate(file, data, -1, -1) {
			t.Errorf("%d bytes of %d are taken for data", len(torn), len(whole))
		}
		if _, err := os.Stat(data); err == nil {
			t.Errorf("%d bytes have left a folder", len(torn))
		}
	}
	write(program, "another version")
	if file == template(folder, program, []string{"-A", "trust"}) {
		t.Error("another program's data are taken")
	}
}

// tree lists the files of a folder with what they hold.
func tree(t *testing.T, dir string) (list string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		list += path
		if !d.IsDir() {
			text, err := os.ReadFile(filepath.Join(dir, path))
			list += " " + string(text)
			return err
		}
		list += "/\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
