package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The layout is a promise to the data of users, and where wrangler has it too, to wrangler (DEV4, KV17).
func TestLayout(t *testing.T) {
	const d = Dir("/p/state")
	index := d.Index("kv", "miniflare-KVNamespaceObject", "0ab")
	for got, want := range map[string]string{
		d.Objects():             "/p/state/v3/do",
		d.Namespace("w-C"):      "/p/state/v3/do/w-C",
		d.History("w-C"):        "/p/state/v3/eddy/history/w-C",
		d.Deleted():             "/p/state/v3/eddy/deleted",
		index:                   "/p/state/v3/kv/miniflare-KVNamespaceObject/0ab.sqlite",
		d.Blobs("r2", "things"): "/p/state/v3/r2/things/blobs",
		d.Queues():              "/p/state/v3/eddy/queues",
		d.Cache():               "/p/state/v3/eddy/cache",
		d.API():                 "/p/state/v3/eddy/control.json",
		d.Running():             "/p/state/v3/eddy/running.json",
		d.FilesOnlyScript():     "/p/state/v3/eddy/files-only.js",
		d.WorkerLock("a/../b"):  "/p/state/v3/eddy/workers/a%2F..%2Fb.lock",
		d.applied():             "/p/state/v3/eddy/migrations.json",
	} {
		if filepath.ToSlash(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if back, key, ok := OfNamespace(d.Namespace("w-C")); back != d || key != "w-C" || !ok {
		t.Errorf("%s belongs to %s (%s, %t)", d.Namespace("w-C"), back, key, ok)
	}
	if back, _, ok := OfNamespace("/p/else/where/w-C"); ok {
		t.Errorf("a folder elsewhere belongs to %s", back)
	}
}

func TestChoose(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "x")
	for persistTo, want := range map[string]string{
		"": "project/.wrangler/state", "kept/here": "cwd/kept/here", elsewhere + "/../x": elsewhere,
	} {
		if got := string(Choose(persistTo, "cwd", "project")); filepath.ToSlash(got) != filepath.ToSlash(want) {
			t.Errorf("%q: %s, want %s", persistTo, got, want)
		}
	}
}

func TestApplied(t *testing.T) {
	d := Dir(t.TempDir())
	got := map[string]int{"before": 1}
	if err := d.ReadApplied(&got); err != nil || got["before"] != 1 {
		t.Errorf("nothing was recorded: %v %v", got, err)
	}
	if err := d.WriteApplied(map[string]int{"after": 2}); err != nil {
		t.Fatal(err)
	}
	got = nil
	if err := d.ReadApplied(&got); err != nil || got["after"] != 2 {
		t.Errorf("%v %v", got, err)
	}
	if err := Replace(d.applied(), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if err := d.ReadApplied(&got); err == nil || !strings.Contains(err.Error(), d.applied()) {
		t.Errorf("a damaged record: %v", err)
	}
}

// A directory that cannot be used is refused with what to do.
func TestAdvise(t *testing.T) {
	if err := Advise(nil); err != nil {
		t.Error(err)
	}
	for errno, want := range map[syscall.Errno]string{
		syscall.EROFS:        "\n  choose another one: --persist-to DIR",
		syscall.EACCES:       "\n  choose another one: --persist-to DIR",
		syscall.ENAMETOOLONG: "\n  choose one with a shorter path: --persist-to DIR",
		syscall.ENOSPC:       "\n  make room, or choose another one: --persist-to DIR",
		syscall.EIO:          "",
	} {
		err := Advise(&os.PathError{Op: "open", Path: "/s/lock", Err: errno})
		text := "state directory: open /s/lock: " + errno.Error() + want
		if err.Error() != text || !errors.Is(err, errno) {
			t.Errorf("got %q, want %q", err, text)
		}
	}
}
