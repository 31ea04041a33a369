package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/statedir"
)

// classes is a Worker that keeps a value in objects of a class.
func classes(class string) string {
	return strings.ReplaceAll(script("migrations", "classes.js"), "CLASS", class)
}

func classConfig(name, class, migrations string) string {
	return `{ "name": "` + name + `", "main": "` + name + `.js", "compatibility_date": "2026-04-01",
  "durable_objects": { "bindings": [{ "name": "X", "class_name": "` + class + `" }] },
  "migrations": [` + migrations + `]
}`
}

const newSQLiteA = `{ "tag": "v1", "new_sqlite_classes": ["A"] }`

// change gives a Worker of the project another class and other migrations.
func (p *project) change(name, class, migrations string) {
	p.write(name+".js", classes(class))
	p.write(name+".jsonc", classConfig(name, class, migrations))
}

// read gives the body that a path answers with.
func (s *served) read(path string) string {
	s.t.Helper()
	_, body := s.ask("GET", path, "")
	return body
}

func using(names ...string) func(*Options) {
	return func(o *Options) {
		for _, name := range names {
			o.Configs = append(o.Configs, name+".jsonc")
		}
	}
}

// A class renamed between two sessions has its objects, their ids and alarms in the second (CL9, production's side); a
// state directory that only the reference has used opens as it is.
func TestRenamedClassKeepsItsObjects(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"))
	s.expect("/alarm", "1")
	unique, named := s.read("/unique"), s.read("/name")
	s.end()

	p.change("w", "B", newSQLiteA+`, { "tag": "v2", "renamed_classes": [{ "from": "A", "to": "B" }] }`)
	s = p.serve(using("w"))
	s.expect("/add", "2")
	s.expect("/name", named)
	s.expect("/id/"+unique, "1")
	s.expect("/sql", "1")
	if a, err := s.workers.Objects().Alarms(context.Background(), "w-A"); err != nil || len(a) != 1 {
		t.Errorf("alarms after the rename: %v %v", a, err)
	}
	if !strings.Contains(s.out.String(), `Migration "v2" was applied: renamed_classes A to B.`) {
		t.Errorf("the session says nothing of it:\n%s", s.out)
	}
	s.end()

	s = p.serve(using("w"))
	s.expect("/add", "3")
	if strings.Contains(s.out.String(), "Migration") {
		t.Errorf("a migration was applied twice:\n%s", s.out)
	}
}

// In a cluster a renamed class keeps its objects, too: its nodes have one record of what was applied.
func TestRenamedClassInCluster(t *testing.T) {
	kept := engine.NewMemory(3)
	p := newProject(t)
	node := func(o *Options) {
		o.PersistTo = t.TempDir() // scratch
		o.Cluster = &ClusterOptions{Engine: kept, Token: "0123456789abcdef", ObjectShards: 2, Name: "a",
			Listen: "127.0.0.1:0", Lease: time.Hour}
	}
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"), node)
	s.expect("/alarm", "1")
	s.end()
	p.change("w", "B", newSQLiteA+`, { "tag": "v2", "renamed_classes": [{ "from": "A", "to": "B" }] }`)
	s = p.serve(using("w"), node)
	s.expect("/add", "2")
	if !strings.Contains(s.out.String(), `Migration "v2" was applied: renamed_classes A to B.`) {
		t.Errorf("the session says nothing of it:\n%s", s.out)
	}
	s.end()
	s = p.serve(using("w"), node)
	s.expect("/add", "3")
	if strings.Contains(s.out.String(), "Migration") {
		t.Errorf("a migration was applied twice:\n%s", s.out)
	}
}

// A rename takes effect at a reload, too: what is open and what waits goes on.
func TestRenameAtReload(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"))
	s.expect("/add", "1")
	p.change("w", "B", newSQLiteA+`, { "tag": "v2", "renamed_classes": [{ "from": "A", "to": "B" }] }`)
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/add", "2")
	p.change("w", "C", newSQLiteA+`, { "tag": "v2", "renamed_classes": [{ "from": "A", "to": "B" }] }, { "tag": "v3",`+
		` "deleted_classes": ["B"], "new_classes": ["C"] }`)
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/add", "1")
	aside := filepath.Join(p.dir, ".wrangler", "state", "v3", "eddy", "deleted", "w-A")
	if files, err := filepath.Glob(filepath.Join(aside, "*.sqlite")); err != nil || len(files) == 0 {
		t.Errorf("nothing lies in %s: %v\n%s", aside, err, s.out)
	}
}

// A deleted class's objects are moved aside, loudly, and a class of the same name starts with nothing.
func TestDeletedClassIsSetAside(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"))
	s.expect("/alarm", "1")
	s.end()
	p.change("w", "A", newSQLiteA+`, { "tag": "v2", "deleted_classes": ["A"] }, { "tag": "v3", `+
		`"new_sqlite_classes": ["A"] }`)
	s = p.serve(using("w"))
	aside := filepath.Join(p.dir, ".wrangler", "state", "v3", "eddy", "deleted", "w-A")
	if !strings.Contains(s.out.String(), `Migration "v2" deleted class A of w. Its 1 object would be destroyed in `+
		`production; here they were moved to `+aside) {
		t.Errorf("the session says:\n%s", s.out)
	}
	if files, err := filepath.Glob(filepath.Join(aside, "*.sqlite")); err != nil || len(files) != 2 {
		t.Errorf("set aside: %v %v", files, err)
	}
	if files, err := filepath.Glob(filepath.Join(aside+".history", "*")); err != nil || len(files) == 0 {
		t.Errorf("histories set aside: %v %v", files, err)
	}
	s.expect("/add", "1")
	if a, err := s.workers.Objects().Alarms(context.Background(), "w-A"); err != nil || len(a) != 0 {
		t.Errorf("alarms of the deleted class: %v %v", a, err)
	}
}

// A transferred class brings its objects and the kind of its storage along.
func TestTransferredClass(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", newSQLiteA)
	s := p.serve(using("w"))
	s.expect("/add", "1")
	p.change("v", "Moved", `{ "tag": "v1", "transferred_classes": [{ "from": "A", "from_script": "w", `+
		`"to": "Moved" }] }`)
	s.end()
	unlock, err := statedir.Choose("", p.dir, p.dir).LockWorker("w") // as a session that runs w
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.start(using("v")); err == nil || !strings.Contains(err.Error(),
		"Class A cannot be transferred while process") || !strings.Contains(err.Error(), "v.jsonc:3:") {
		t.Errorf("a class was taken from a Worker that runs: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	s = p.serve(using("v"))
	s.expect("/add", "2")
	s.expect("/sql", "1")
	if !strings.Contains(s.out.String(), "Class Moved took over the objects of class A of w (1 object).") {
		t.Errorf("the session says:\n%s", s.out)
	}
}

// What production and wrangler refuse is refused with the place: a class cannot change the kind of its storage.
func TestStorageKindCannotChange(t *testing.T) {
	p := newProject(t)
	p.change("w", "A", `{ "tag": "v1", "new_classes": ["A"] }`)
	s := p.serve(using("w"))
	s.expect("/add", "1")
	if got := s.read("/sql"); !strings.Contains(got, "SQL is not enabled for this Durable Object class") {
		t.Errorf("SQL of a class without: %s", got)
	}
	s.end()
	p.change("w", "A", newSQLiteA)
	_, err := p.start(using("w"))
	var refused *ConfigError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(),
		"Class A was created with key-value storage and has 1 object; it cannot get SQLite storage.\n  --> "+
			"w.jsonc:3:56") {
		t.Fatalf("got %v", err)
	}
	if err := os.RemoveAll(filepath.Join(p.dir, ".wrangler", "state", "v3", "do", "w-A")); err != nil {
		t.Fatal(err)
	}
	s = p.serve(using("w"))
	s.expect("/sql", "1")
}

// A state directory of wrangler dev, whose renamed class has a namespace of its own name, opens with its data.
func TestStateOfTheReferenceOpens(t *testing.T) {
	p := newProject(t)
	if err := os.CopyFS(filepath.Join(p.dir, ".wrangler", "state"),
		os.DirFS(filepath.Join("..", "testdata", "state", "wrangler"))); err != nil {
		t.Fatal(err)
	}
	p.change("interop", "A", `{ "tag": "v1", "new_sqlite_classes": ["Old"] }, { "tag": "v2", `+
		`"renamed_classes": [{ "from": "Old", "to": "A" }] }`)
	s := p.serve(using("interop"))
	list, err := s.workers.Objects().List(context.Background(), "interop-A")
	if err != nil || len(list) != 2 || list[0].Name == "" || list[1].Name == "" {
		t.Errorf("objects: %+v %v", list, err)
	}
	if strings.Contains(s.out.String(), "igration") {
		t.Errorf("the session says:\n%s", s.out)
	}
}
