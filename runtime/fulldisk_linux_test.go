package runtime

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fullKinds are what testdata/fulldisk.txtar keeps.
var fullKinds = []string{"object", "d1", "kv", "r2", "queue"}

// A file system that is really full: each store refuses what it cannot keep and says why, the session answers, and what
// was acknowledged is there when there is room again and in the next session. What was refused can be tried again at
// once, and is nowhere. Who may not mount a file system has
// the injected twins of this test: TestFullDisk, TestDiskFull and TestEveryOperationFails.
func TestFullFileSystem(t *testing.T) {
	for name, mount := range map[string]func(*testing.T, string) error{
		"tmpfs": func(_ *testing.T, at string) error { return unix.Mount("eddy", at, "tmpfs", 0, "size=16m") },
		"ext4":  mountImage,
	} {
		t.Run(name, func(t *testing.T) {
			disk := t.TempDir()
			if err := mount(t, disk); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
				t.Skip("this user may not mount a file system")
			} else if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			fillUp(t, disk)
		})
	}
}

// mountImage mounts a new file system of ext4 that is kept in a file.
func mountImage(t *testing.T, at string) error {
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(image, 24<<20); err != nil {
		return err
	}
	for _, line := range [][]string{{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, at}} {
		if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no file system in a file here: %s: %v\n%s", line[0], err, out)
		}
	}
	return nil
}

// fillUp uses a session on a disk, fills the disk, makes room again, and starts the session anew.
func fillUp(t *testing.T, disk string) {
	p := newProject(t, "wrangler.jsonc", script("fulldisk", "wrangler.jsonc"), "index.js",
		script("fulldisk", "index.js"))
	start := func() *served { return p.serve(func(o *Options) { o.PersistTo = filepath.Join(disk, "state") }) }
	s := start()
	n, kept := 0, map[string][]int{}
	put := func(kind string) (refused string) {
		t.Helper()
		n++
		status, body := fullAsk(t, s, "/"+kind+"?n="+strconv.Itoa(n))
		switch status {
		case http.StatusOK:
			kept[kind] = append(kept[kind], n)
			return ""
		case http.StatusInsufficientStorage:
			return body
		}
		t.Fatalf("%s is answered %d %s", kind, status, body)
		return ""
	}
	check := func(when string) {
		t.Helper()
		if _, body := fullAsk(t, s, "/"); body != "alive" {
			t.Errorf("%s: the session answers %q", when, body)
		}
		for _, kind := range fullKinds {
			_, body := fullAsk(t, s, "/"+kind)
			if kind == "queue" {
				if got, err := strconv.Atoi(body); err != nil || got != len(kept[kind]) {
					t.Errorf("%s: the queue says %s; %d messages were acknowledged", when, body, len(kept[kind]))
				}
				continue
			}
			var got []int
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Errorf("%s: %s: %s", when, kind, body)
			}
			for _, n := range kept[kind] {
				if !slices.Contains(got, n) {
					t.Errorf("%s: %s has lost %d, which was acknowledged", when, kind, n)
				}
			}
		}
	}
	for _, kind := range fullKinds {
		if refused := put(kind); refused != "" {
			t.Fatalf("%s on an empty disk: %s", kind, refused)
		}
	}
	filler := filepath.Join(disk, "filler")
	fillDisk(t, filler)
	for _, kind := range fullKinds {
		refused := ""
		for try := 0; refused == ""; try++ {
			if refused = put(kind); try == 400 {
				t.Fatalf("%s: a full disk refuses nothing", kind)
			}
		}
		t.Logf("%s: %s", kind, refused)
		if !strings.Contains(refused, "disk") && !strings.Contains(refused, "space") {
			t.Errorf("%s: the error does not speak of the disk: %s", kind, refused)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for _, kind := range fullKinds {
		refused := put(kind)
		if refused != "" {
			t.Errorf("%s: there is room again, and the answer is %s", kind, refused)
		}
	}
	check("with room again")
	s.end()
	s = start()
	check("in the next session")
	for _, kind := range fullKinds {
		if refused := put(kind); refused != "" {
			t.Errorf("%s in the next session: %s", kind, refused)
		}
	}
	check("at the end")
}

// fullAsk asks a session.
func fullAsk(t *testing.T, s *served, path string) (status int, body string) {
	t.Helper()
	r, body := s.ask("GET", path, "")
	return r.StatusCode, body
}

// fillDisk writes a file until the disk is full.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, unix.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
