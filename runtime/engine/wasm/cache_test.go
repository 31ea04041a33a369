package wasm

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// kept are the files of machine code in a folder.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// later compiles a program as a process that begins now would.
func later(t *testing.T, dir string) {
	t.Helper()
	folder := dir
	cacheFolder.Store(&folder)
	t.Cleanup(func() { cacheFolder.Store(nil) })
	cache := openCache()
	cfg := wazero.NewRuntimeConfig()
	if cache.cache != nil {
		cfg = cfg.WithCompilationCache(cache.cache)
	}
	rt := wazero.NewRuntimeWithConfig(context.Background(), cfg)
	code := sample{
		types: []signature{sig(nil, i32)}, funcs: []int{0}, exports: [][]byte{exportOf("f", kindFunction, 0)},
		code: [][]byte{bodyOf([]byte{0x41, 7})},
	}.binary()
	m, err := cache.compile(context.Background(), rt, code)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := rt.InstantiateModule(context.Background(), m, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mod.ExportedFunction("f").Call(context.Background()); err != nil || got[0] != 7 {
		t.Fatalf("f gave %v %v", got, err)
	}
	if err := rt.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestCodeIsKept: a second process writes nothing anew; damage costs a compilation, not the start.
func TestCodeIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	later(t, dir)
	files := kept(t, dir)
	if len(files) != 1 {
		t.Fatalf("%d files after the first process", len(files))
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	later(t, dir)
	if st, err := os.Stat(files[0]); err != nil || st.ModTime().After(old.Add(time.Minute)) {
		t.Errorf("the second process has compiled again: %v", err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)-9], "head": append([]byte("x"), good[1:]...), "code": flipped(good),
	} {
		if err := os.WriteFile(files[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		later(t, dir)
		if now, err := os.ReadFile(files[0]); err != nil || string(now) != string(good) {
			t.Errorf("%s: a damaged file is not written anew: %v", name, err)
		}
	}
}

// flipped changes a byte of the machine code, near the end of the file.
func flipped(good []byte) []byte {
	bad := append([]byte{}, good...)
	bad[len(bad)-12] ^= 0xff
	return bad
}

// TestFoldersOfOthers: what somebody else may write is not run, and a folder that cannot be made stops nothing.
func TestFoldersOfOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	later(t, dir)
	if files := kept(t, dir); os.PathSeparator != '\\' && len(files) != 0 {
		t.Errorf("%v was written into a folder of everybody's", files)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	later(t, filepath.Join(file, "below"))
}
