package runtime

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// shelf is the Worker that wrote the D1 database and the KV namespace of testdata/state.
var shelf = []string{"wrangler.jsonc", `{"name": "shelf", "main": "index.js", "compatibility_date": "2026-04-01",
	"kv_namespaces": [{"binding": "KV", "id": "shelf-kv"}], "d1_databases": [{"binding": "DB", "database_name": "shelf",
		"database_id": "shelf-db"}],
	"durable_objects": {"bindings": [{"name": "OBJ", "class_name": "Obj"}]},
		"migrations": [{"tag": "v1", "new_sqlite_classes": ["Obj"]}]}`,
	"index.js", script("stores", "index.js")}

// A state directory of wrangler dev opens with its databases and namespaces, and what eddy adds is there after a
// restart (DEV4, D1-1, B1).
func TestStoresOfWrangler(t *testing.T) {
	p := newProject(t, shelf...)
	if err := os.CopyFS(filepath.Join(p.dir, ".wrangler", "state"),
		os.DirFS(filepath.Join("..", "testdata", "state", "wrangler"))); err != nil {
		t.Fatal(err)
	}
	s := p.serve()
	want := `["written by wrangler",{"value":"with metadata","metadata":{"shelf":3},"cacheStatus":null},` +
		`{"keys":[{"name":"full","expiration":2795237759,"metadata":{"shelf":3}},{"name":"plain"}],` +
		`"list_complete":true,"cacheStatus":null}]`
	s.expect("/kv", want)
	s.expect("/d1", `[{"id":1,"title":"Eddy"}]`)
	s.expect("/add", "added")
	s.end()

	s = p.serve()
	s.expect("/d1", `[{"id":1,"title":"Eddy"},{"id":2,"title":"Tide"}]`)
	s.expect("/mine", "by eddy")
	s.clock.Advance(t.Context(), time.Hour)
	s.expect("/kv", want)
}

// Many calls at once, and calls out of a Durable Object.
func TestStoresInParallel(t *testing.T) {
	p := newProject(t, shelf...)
	if err := os.CopyFS(filepath.Join(p.dir, ".wrangler", "state"),
		os.DirFS(filepath.Join("..", "testdata", "state", "wrangler"))); err != nil {
		t.Fatal(err)
	}
	s := p.serve()
	s.expect("/parallel", `[50,true]`)
	s.expect("/object", "52 was here")
	files, err := os.ReadDir(filepath.Join(p.dir, ".wrangler", "state", "v3", "kv", "shelf-kv", "blobs"))
	if err != nil || len(files) != 4 {
		t.Errorf("%d values on disk (%v), want those of 4 keys", len(files), err)
	}
}
