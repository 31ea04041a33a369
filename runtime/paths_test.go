//go:build unix

package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/bindings/kv"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// A state directory whose path is too long for the files of a configuration is refused at the start, with what to do
// and by how much; one that just fits serves them all. Links count with what they lead to.
func TestPathsTooLong(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", privateConfig, "index.js", privateWorker)
	state := func(longest int) string {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		index, _ := kv.Paths(statedir.Dir(dir), "kv")
		for missing := longest - len(index); missing > 0; {
			n := min(missing, 200)
			if missing-n == 1 {
				n--
			}
			dir, missing = dir+"/"+strings.Repeat("x", n-1), missing-n
		}
		return dir
	}
	in := func(dir string) func(*Options) { return func(o *Options) { o.PersistTo = dir } }
	fits := p.serve(in(state(sqlite.MaxPath)))
	fits.expect("/", "kept")
	fits.end()
	long := state(sqlite.MaxPath + 3)
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(long, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{long, link} {
		_, err := p.start(in(dir))
		want := "state directory " + dir +
			": KV namespace KV would be stored at a path of 507 bytes, and SQLite takes 504\n" +
			"  choose a directory whose path is at least 3 bytes shorter: --persist-to DIR"
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", dir, err, want)
		}
	}
	if _, err := p.start(in(filepath.Join(t.TempDir(), strings.Repeat("/xxxxxxxxx", 500)))); err == nil ||
		!strings.Contains(err.Error(), "choose one with a shorter path: --persist-to DIR") {
		t.Errorf("a path that the system refuses: %v", err)
	}
	p.write("wrangler.jsonc", strings.Replace(privateConfig, `"id": "kv"`, `"id": "`+strings.Repeat("k", 300)+`"`, 1))
	if _, err := p.start(); err == nil || !strings.Contains(err.Error(),
		"KV namespace KV: a folder cannot be called kkkkkkkkkkkkkkkkkkkk…, whose 300 bytes are more than 255") {
		t.Errorf("a name that is too long: %v", err)
	}
}
