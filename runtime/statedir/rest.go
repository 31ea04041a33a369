package statedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Rest lists what a state directory has beside objects, stores of the bindings, the queues' log, the record of
// migrations, and what is of use to one machine only: paths relative to it, with slashes.
func (d Dir) Rest() (list []string, err error) {
	for dir, known := range map[string][]string{
		d.v3(): {"do", "eddy", "cache", "kv", "d1", "r2", "secrets-store"},
		d.own(): {"queues", "queues.mark", "migrations.json", "workers", "running.json", "journal", "cache", "browser",
			"workflows", "vectorize", "pipelines"},
	} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if name := e.Name(); !slices.Contains(append(known, "files-only.js", "ratelimits"), name) {
				rel, err := filepath.Rel(string(d), filepath.Join(dir, name))
				if err != nil {
					return nil, err
				}
				list = append(list, filepath.ToSlash(rel))
			}
		}
	}
	slices.Sort(list)
	return list, nil
}
