package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"eddy/durableobject"
	"eddy/durableobject/storage"
	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// longestName is how long the name of a file or folder may be, in bytes, on the file systems that are in use.
const longestName = 255

// checkPaths refuses configurations whose data would be stored at paths that are too long. Without the check the first
// write would fail, long after the start.
func (s *Session) checkPaths(configs []*wrangler.Config, plans []durableobject.Plan) error {
	state := s.state
	if real, err := filepath.EvalSymlinks(string(state)); err == nil {
		state = statedir.Dir(real) // SQLite measures the path without symbolic links
	}
	var errs []error
	longest, of := 0, ""
	check := func(what, database string, more ...string) {
		for _, path := range append(more, database) {
			for name := range strings.SplitSeq(path[len(state):], string(filepath.Separator)) {
				if len(name) > longestName {
					errs = append(errs, fmt.Errorf(
						"%s: a folder cannot be called %s…, whose %d bytes are more than %d\n  choose a shorter name",
						what, name[:20], len(name), longestName))
					return
				}
			}
		}
		if len(database) > longest {
			longest, of = len(database), what
		}
	}
	for _, p := range plans {
		for class, key := range p.Keys {
			check("an object of class "+class, storage.LongestFile(state.Namespace(key)))
		}
	}
	for _, cfg := range configs {
		for _, b := range cfg.KVNamespaces {
			index, values := kv.Paths(state, b.ID)
			check("KV namespace "+b.Binding, index, values)
		}
		for _, b := range cfg.D1Databases {
			check("D1 database "+b.Binding, d1.Path(state, b.DatabaseID))
		}
		for _, b := range cfg.R2Buckets {
			check("R2 bucket "+b.Binding, r2.Path(state, b.BucketName))
		}
	}
	if over := longest - sqlite.MaxPath; over > 0 {
		errs = append(errs, fmt.Errorf(
			"state directory %s: %s would be stored at a path of %d bytes, and SQLite takes %d\n"+
				"  choose a directory whose path is at least %d bytes shorter: --persist-to DIR",
			s.state, of, longest, sqlite.MaxPath, over))
	}
	return errors.Join(errs...)
}

// relative is the path of a file from the session's working directory.
func (s *Session) relative(file string) string {
	if rel, err := filepath.Rel(s.opts.Dir, file); err == nil {
		return rel
	}
	return file
}
