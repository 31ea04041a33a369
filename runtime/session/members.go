package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eddy/wrangler"
)

// memberEntries are the files that a folder without a configuration is searched for, in this order.
var memberEntries = []string{"index.js", "index.mjs", "index.ts", "src/index.js", "src/index.mjs", "src/index.ts",
	"worker.js", "worker.ts"}

// membersOf are the Workers of the folders that a Worker's dispatch namespaces have.
func membersOf(cfg *wrangler.Config) (list []configInput, err error) {
	var folders []string
	for _, b := range cfg.Unserved {
		folder := cfg.StandIns[b.Name].Folder
		if b.Kind != "dispatch_namespaces" || folder == "" || slices.Contains(folders, folder) {
			continue
		}
		folders = append(folders, folder)
		found, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("the members of dispatch namespace %s: %w", b.Name, err)
		}
		for _, e := range found {
			in, ok, err := memberAt(folder, e, cfg)
			if err != nil {
				return nil, err
			}
			if ok {
				list = append(list, in)
			}
		}
	}
	return list, nil
}

func memberAt(folder string, e os.DirEntry, cfg *wrangler.Config) (in configInput, ok bool, err error) {
	path := filepath.Join(folder, e.Name())
	m := &member{folder: folder, date: cfg.CompatibilityDate, flags: cfg.CompatibilityFlags}
	switch {
	case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
		return in, false, nil
	case e.IsDir():
		loc, err := wrangler.Locate(path)
		if err == nil {
			return configInput{path: loc.Path, options: wrangler.Options{UserPath: loc.UserPath}, member: &member{
				folder: folder}}, true, nil
		}
		if !errors.Is(err, wrangler.ErrNotFound) {
			return in, false, err
		}
		for _, name := range memberEntries {
			if _, err := os.Stat(filepath.Join(path, name)); err == nil {
				m.main, m.name = filepath.Join(path, name), e.Name()
				return configInput{dir: path, member: m}, true, nil
			}
		}
		return in, false, nil // a folder of something else
	}
	ext := filepath.Ext(path)
	if !slices.Contains([]string{".js", ".mjs", ".ts"}, ext) || strings.HasSuffix(path, ".d.ts") {
		return in, false, nil
	}
	m.main, m.name = path, strings.TrimSuffix(e.Name(), ext)
	return configInput{dir: folder, member: m}, true, nil
}

// members tells which Workers are in the namespace of a folder; nil if there is no folder, and all are.
func (s *Session) members(folder string) func(name string) bool {
	if folder == "" {
		return nil
	}
	return func(name string) bool {
		svc := s.byName[name]
		return svc != nil && svc.input.member != nil && svc.input.member.folder == folder
	}
}
