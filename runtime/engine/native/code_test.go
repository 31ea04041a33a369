package native

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"
)

// module has a function k(at i32) that adds 1 to the int32 there, polls, and traps where the poll says 1.
var module = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x09\x02\x60\x00\x01\x7f\x60\x01\x7f\x00" + // types
	"\x02\x07\x01\x01e\x01p\x00\x00" + // import
	"\x03\x02\x01\x01" + // functions
	"\x05\x05\x01\x00\xff\xff\x03" + // memory
	"\x07\x05\x01\x01k\x00\x01" + // export
	"\x0a\x17\x01\x15\x00\x20\x00\x20\x00\x28\x02\x00\x41\x01\x6a\x36\x02\x00\x10\x00\x04\x40\x00\x0b\x0b")

// TestWindow: a function reads and writes a slice of Go's where it is.
func TestWindow(t *testing.T) {
	if !Supported() {
		t.Fatal("no compiler here")
	}
	code, err := Compile(module)
	if err != nil {
		t.Fatal(err)
	}
	i, err := code.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Give()
	for range 3 {
		b := append(make([]byte, 0, 1<<20), 41, 0, 0, 0)
		at, ok := Offset(b)
		if !ok {
			t.Fatalf("a slice is not in the window")
		}
		polled := 0
		i.Poll = func() bool { polled++; return polled > 1 }
		i.Stack[0] = uint64(at)
		if err := i.Call(); err != nil || b[0] != 42 || polled != 1 {
			t.Fatal(err, b[0], polled)
		}
		i.Stack[0] = uint64(at)
		if err := i.Call(); !errors.Is(err, ErrStopped) || b[0] != 43 {
			t.Fatal(err, b[0])
		}
	}
	if at, ok := Offset(nil); at != 0 || !ok {
		t.Error("an empty slice")
	}
	if _, ok := offset(base-1, 1); ok {
		t.Error("before the window")
	}
	if _, ok := offset(base+pages<<16-1, 2); ok {
		t.Error("behind the window")
	}
}

// TestCodeIsOnDisk: what one process has compiled another one reads and does not compile again. The file that the
// first has written stays as it is, and is what the second looks at: once it is damaged, a third says so, and compiles
// without it.
func TestCodeIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	engine := func() *engine {
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return newEngine(cache)
	}
	compile := func() error {
		_, err := engine().rt.CompileModule(t.Context(), module)
		return err
	}
	files := func() (list []string, infos []os.FileInfo) {
		err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				list, infos = append(list, path), append(infos, info)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list, infos
	}
	if err := compile(); err != nil {
		t.Fatal(err)
	}
	list, first := files()
	if err := compile(); err != nil {
		t.Fatal(err)
	}
	_, second := files()
	if len(first) == 0 || len(second) != len(first) {
		t.Fatalf("%d files, then %d", len(first), len(second))
	}
	for i := range first {
		if !os.SameFile(first[i], second[i]) || !first[i].ModTime().Equal(second[i].ModTime()) {
			t.Errorf("%s was written again", list[i])
		}
		if err := os.WriteFile(list[i], []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if compile() == nil {
		t.Error("nobody looked at the files")
	}
	code, err := engine().compile(module)
	if err != nil {
		t.Fatal(err)
	}
	i, err := code.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Give()
	b := make([]byte, 1<<20)
	at, _ := Offset(b)
	i.Poll = func() bool { return false }
	i.Stack[0] = uint64(at)
	if err := i.Call(); err != nil || b[0] != 1 {
		t.Error(err, b[0])
	}
}

// TestCodeIsLetGo: what nobody has any more is closed.
func TestCodeIsLetGo(t *testing.T) {
	made := func() *modules {
		code, err := Compile(module)
		if err != nil {
			t.Fatal(err)
		}
		i, err := code.Take(1)
		if err != nil {
			t.Fatal(err)
		}
		i.Give()
		return code.made
	}()
	for closed := false; !closed; runtime.GC() {
		made.mu.Lock()
		closed = made.list == nil
		made.mu.Unlock()
	}
}
