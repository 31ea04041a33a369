//go:build unix

package storage_test

import (
	"fmt"
	"os"
	osexec "os/exec"
	"syscall"
	"testing"
	"testing/synctest"

	"eddy/durableobject/storage"
)

// fewEnv tells the re-executed test that it may not open many files.
const fewEnv = "EDDY_STORAGE_FEW_DESCRIPTORS"

// Many objects in a process that may open few files: idle ones are closed when
// descriptors run out, whatever OpenFiles says, and no Store notices.
func TestFewDescriptors(t *testing.T) {
	dir := os.Getenv(fewEnv)
	if dir == "" {
		cmd := osexec.Command(os.Args[0], "-test.run=^TestFewDescriptors$")
		cmd.Env = append(os.Environ(), fewEnv+"="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}))
	ns, err := storage.OpenNamespace(dir, storage.Options{OpenFiles: 1000})
	must(t, err)
	for round := range 2 {
		for i := range 100 {
			s := ns.Store(id(i))
			must(t, s.Put(fmt.Sprint("k", round), nil))
			must(t, s.Commit())
		}
	}
	for i := range 100 {
		if got := names(t, ns.Store(id(i)), storage.ListOptions{}); got != "k0 k1" {
			t.Errorf("object %d has %q", i, got)
		}
	}
	must(t, ns.Close())
}

// A file that is still being closed has its descriptors until that is done. Whoever needs some waits for it, also if no
// more files can be closed.
func TestDescriptorsOfClosingFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ns, err := storage.OpenNamespace(t.TempDir(), storage.Options{})
		must(t, err)
		must(t, ns.Store(id(0)).Put("k", nil))
		closed, done := make(chan struct{}), false
		ns.InBackground("closing", func() { <-closed; done = true })
		go func() {
			synctest.Wait() // until Shed waits
			close(closed)
		}()
		if !ns.Shed() || !done {
			t.Error("nothing was freed, though a file was being closed")
		}
		if ns.Shed() {
			t.Error("something was freed, though one file is open and none is being closed")
		}
		must(t, ns.Store(id(0)).Commit())
		must(t, ns.Close())
	})
}
