//go:build unix

package runtime

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const privateConfig = `{
	"name": "private", "main": "index.js", "compatibility_date": "2026-04-01",
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_timeout": 0 }] },
	"durable_objects": { "bindings": [{ "name": "KEEPER", "class_name": "Keeper" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Keeper", "Gone"] }],
	"kv_namespaces": [{ "binding": "KV", "id": "kv" }], "d1_databases": [{
		"binding": "DB", "database_name": "d", "database_id": "d" }],
	"r2_buckets": [{ "binding": "BUCKET", "bucket_name": "bucket" }]
}`

var privateWorker = script("private", "private.js")

// What a session writes into its state directory is its user's alone: files 0600, folders 0700, while it runs and
// afterwards, and also what is set aside.
func TestStateIsPrivate(t *testing.T) {
	was := syscall.Umask(0) // the modes are eddy's doing, not that of whoever started it
	defer syscall.Umask(was)
	p := newProject(t, "wrangler.jsonc", privateConfig, "index.js", privateWorker, "site.jsonc",
		`{ "name": "site", "compatibility_date": "2026-04-01", "assets": { "directory": "." } }`)
	listen := func(o *Options) { o.Listen, o.Port = true, -1 }
	seen := map[string]bool{}
	look := func() {
		t.Helper()
		state := filepath.Join(p.dir, ".wrangler", "state")
		if err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path != state {
				return nil // removed or renamed while the folder is walked
			} else if err != nil {
				return err
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			} else if err != nil {
				return err
			}
			want := os.FileMode(0o600)
			if d.IsDir() {
				want = 0o700
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s is %v, want %v", path, info.Mode().Perm(), want)
			}
			name, err := filepath.Rel(state, path)
			seen[filepath.ToSlash(name)] = true
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	s := p.serve(listen, func(o *Options) { o.Configs = []string{"wrangler.jsonc", "site.jsonc"} })
	s.expect("/", "kept")
	look()
	s.end()
	look()
	p.write("wrangler.jsonc", `{ "name": "private", "main": "index.js", "compatibility_date": "2026-04-01",
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Keeper", "Gone"] }, {
			"tag": "v2", "deleted_classes": ["Gone"] }] }`)
	p.write("index.js", `export { Keeper } from "./keeper.js"; export default { fetch: () => new Response("later") }`)
	p.write("keeper.js", `import { DurableObject } from "cloudflare:workers"; `+
		`export class Keeper extends DurableObject {}`)
	again := p.serve(listen)
	again.expect("/", "later")
	again.end()
	look()
	for _, must := range []string{
		"v3/eddy/running.json", "v3/eddy/files-only.js", "v3/eddy/queues.mark", "v3/eddy/queues/lock",
		"v3/eddy/deleted/private-Gone",
		"v3/eddy/cache", "v3/eddy/migrations.json", "v3/eddy/history/private-Keeper", "v3/kv/kv/blobs",
		"v3/r2/bucket/blobs", "v3/d1",
		"v3/do/private-Keeper/metadata.sqlite", "v3/eddy/workers/private.lock",
	} {
		if !seen[must] {
			t.Errorf("%s was not seen", must)
		}
	}
}
