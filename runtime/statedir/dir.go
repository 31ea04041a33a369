package statedir

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is a state directory, as an absolute path. It need not exist yet.
type Dir string

// Choose finds the state directory: persistTo (--persist-to), relative to cwd, or .wrangler/state in the project's
// folder when persistTo is "".
func Choose(persistTo, cwd, project string) Dir {
	switch {
	case persistTo == "":
		return Dir(filepath.Join(project, ".wrangler", "state"))
	case filepath.IsAbs(persistTo):
		return Dir(filepath.Clean(persistTo))
	}
	return Dir(filepath.Join(cwd, persistTo))
}

// Make creates the directory, for its user alone. The error says what to do when it cannot be made.
func (d Dir) Make() error {
	return Advise(os.MkdirAll(d.v3(), 0o700))
}

// Advise adds to an error in using the directory what to do about it, if that is known.
func Advise(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("state directory: %w\n  choose another one: --persist-to DIR", err)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("state directory: %w\n  choose one with a shorter path: --persist-to DIR", err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("state directory: %w\n  make room, or choose another one: --persist-to DIR", err)
	}
	return fmt.Errorf("state directory: %w", err)
}

// v3 is a path in wrangler's folder, which is named after the version of its layout.
func (d Dir) v3(elem ...string) string {
	return filepath.Join(append([]string{string(d), "v3"}, elem...)...)
}

// own is a path in the folder that only eddy uses.
func (d Dir) own(elem ...string) string { return d.v3(append([]string{"eddy"}, elem...)...) }

// Objects is the folder of all namespaces of Durable Objects.
func (d Dir) Objects() string { return d.v3("do") }

// Namespace is the folder of one namespace of Durable Objects, by its unique key (DEV4).
func (d Dir) Namespace(uniqueKey string) string { return d.v3("do", uniqueKey) }

// History is the folder of the histories of a namespace's objects: eddy's own, so that wrangler finds nothing strange
// among the objects.
func (d Dir) History(uniqueKey string) string { return d.own("history", uniqueKey) }

// OfNamespace is the state directory that a namespace's folder belongs to; ok is false for a folder elsewhere.
func OfNamespace(folder string) (d Dir, uniqueKey string, ok bool) {
	objects := filepath.Dir(folder)
	d = Dir(filepath.Dir(filepath.Dir(objects)))
	return d, filepath.Base(folder), objects == d.Objects()
}

// Deleted is the folder to which the namespaces of deleted classes are moved.
func (d Dir) Deleted() string { return d.own("deleted") }

// Index is the SQLite file of a store ("d1", "kv", "r2"), which miniflare keeps as the object id of a class of its own.
func (d Dir) Index(kind, uniqueKey, id string) string { return d.v3(kind, uniqueKey, id+".sqlite") }

// Blobs is the folder of the values of a KV namespace or an R2 bucket.
func (d Dir) Blobs(kind, name string) string { return d.v3(kind, name, "blobs") }

// Queues is the folder of the queue log.
func (d Dir) Queues() string { return d.own("queues") }

// Workflow is the file of a workflow's instances.
func (d Dir) Workflow(name string) string { return d.own("workflows", name+".sqlite") }

// Vectorize is the SQLite file of a vector index.
func (d Dir) Vectorize(index string) string {
	return d.own("vectorize", url.PathEscape(index)+".sqlite")
}

// Analytics is the SQLite file of the data points of all datasets.
func (d Dir) Analytics() string { return d.own("analytics.sqlite") }

// Browsers is the folder of the profiles of browsers that run.
func (d Dir) Browsers() string { return d.own("browser") }

// RateLimit is the file of what a rate limit has counted when its session ended.
func (d Dir) RateLimit(namespace string) string {
	return d.own("ratelimits", url.PathEscape(namespace)+".json")
}

// Pipeline is the file to which the records of a stream are appended.
func (d Dir) Pipeline(stream string) string {
	return d.own("pipelines", url.PathEscape(stream)+".ndjson")
}

// Email is the folder of the messages that a Worker has sent, forwarded and replied with.
func (d Dir) Email() string { return d.own("email") }

// Cache is the folder of the Cache API's responses. It is not wrangler's v3/cache, which has another format.
func (d Dir) Cache() string { return d.own("cache") }

// API is the file of what only the REST API knows: event subscriptions, jurisdictions.
func (d Dir) API() string { return d.own("control.json") }

// Running is the file that says which session owns the queues, and how to reach it.
func (d Dir) Running() string { return d.own("running.json") }

// Journals is the folder of all journals.
func (d Dir) Journals() string { return d.own("journal") }

// Journal is the folder of the journal of the session whose first Worker that is.
func (d Dir) Journal(worker string) string { return d.own("journal", url.PathEscape(worker)) }

// FilesOnlyScript is where the script of a Worker is written that has assets and no script of its own.
func (d Dir) FilesOnlyScript() string { return d.own("files-only.js") }

// WorkerLock is the lock file of the session that runs a Worker.
func (d Dir) WorkerLock(worker string) string {
	return d.own("workers", url.PathEscape(worker)+".lock")
}

func (d Dir) applied() string { return d.own("migrations.json") }
