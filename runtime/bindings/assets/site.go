package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"eddy/wrangler"
)

// Site is the assets directory of a Worker.
type Site struct {
	dir       string
	alone     bool
	html      string // html_handling
	notFound  string // not_found_handling
	first     bool   // run_worker_first for every path
	only      []pattern
	except    []pattern
	base      string // "/" or "/path/"
	navigates bool   // a navigation gets not_found_handling before the Worker
	ignored   []pattern
	headers   []headerRule
	redirects []redirect
	mistakes  []Mistake

	mu   sync.Mutex
	tags map[string]tag // by file
}

// tag is the ETag of a file as it was at a time.
type tag struct {
	size     int64
	modified time.Time
	hash     string
}

// Options are what a Site needs beside its configuration.
type Options struct {
	// NavigationPrefersAssets is the compatibility flag assets_navigation_prefers_asset_serving.
	NavigationPrefersAssets bool
	// Alone says that there is no script: the files answer every request.
	Alone bool
}

// New reads the rules of a directory. Lines that do not count are [Site.Mistakes].
func New(cfg *wrangler.Assets, o Options) (*Site, error) {
	info, err := os.Stat(cfg.Directory)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		var plain *fs.PathError
		if errors.As(err, &plain) {
			err = plain.Err // it would name the directory once more
		}
		return nil, fmt.Errorf("the directory of the assets, %s, cannot be read: %w\n  make it, or correct "+
			"assets.directory in the configuration", cfg.Directory, err)
	}
	s := &Site{
		dir: cfg.Directory, alone: o.Alone, html: cfg.HTMLHandling, notFound: cfg.NotFoundHandling,
		first: cfg.RunWorkerFirst,
		base:  "/", navigates: o.NavigationPrefersAssets, tags: map[string]tag{},
	}
	if b := strings.Trim(cfg.BasePath, "/"); b != "" {
		s.base = "/" + b + "/"
	}
	for _, p := range cfg.RunWorkerPaths {
		if rest, negative := strings.CutPrefix(p, "!"); negative {
			s.except = append(s.except, newPattern(rest))
		} else {
			s.only = append(s.only, newPattern(p))
		}
	}
	var errs []error
	for _, read := range []func() error{s.readIgnored, s.readHeaders, s.readRedirects} {
		errs = append(errs, read())
	}
	return s, errors.Join(errs...)
}

// Same tells whether two sites answer alike, as far as their rules go; each may be nil.
func (s *Site) Same(o *Site) bool {
	rules := func(s *Site) any {
		if s == nil {
			return nil
		}
		return []any{s.dir, s.alone, s.html, s.notFound, s.first, s.only, s.except, s.base, s.navigates, s.ignored,
			s.headers, s.redirects, s.mistakes}
	}
	return reflect.DeepEqual(rules(s), rules(o))
}

// rules reads a file of rules; one that is not there has none.
func (s *Site) rules(name string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), nil
}

// readIgnored reads .assetsignore, whose lines are like those of .gitignore.
func (s *Site) readIgnored() error {
	lines, err := s.rules(".assetsignore")
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		l = strings.TrimSuffix(l, "/")
		if rest, rooted := strings.CutPrefix(l, "/"); rooted {
			l = rest
		} else if !strings.Contains(l, "/") {
			s.ignored = append(s.ignored, newPattern("/*/"+l), newPattern("/*/"+l+"/*"))
		}
		s.ignored = append(s.ignored, newPattern("/"+l), newPattern("/"+l+"/*"))
	}
	return err
}

// file is the path on disk of an asset, "" if there is none. p is decoded and absolute. Names must match exactly, even
// on disks that do not tell upper from lower case.
func (s *Site) file(p string) string {
	if !strings.HasPrefix(p, "/") || p != path.Clean(p) || p == "/" || strings.ContainsAny(p, "\\\x00") {
		return ""
	}
	switch p {
	case "/_headers", "/_redirects", "/.assetsignore":
		return ""
	}
	for _, i := range s.ignored {
		if _, ok := i.match(p); ok {
			return ""
		}
	}
	file := filepath.Join(s.dir, filepath.FromSlash(p[1:]))
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

func (s *Site) exists(p string) bool { return s.file(p) != "" }

// etag identifies the content of a file.
func (s *Site) etag(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tags[file]; ok && t.size == info.Size() && t.modified.Equal(info.ModTime()) {
		return t.hash, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	t := tag{info.Size(), info.ModTime(), hex.EncodeToString(sum[:16])}
	s.tags[file] = t
	return t.hash, nil
}

// tagged is the path of the first file whose content an ETag identifies, "" if there is none.
func (s *Site) tagged(tag string) (found string, err error) {
	err = filepath.WalkDir(s.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.dir, name)
		if err != nil {
			return err
		}
		p := "/" + filepath.ToSlash(rel)
		if file := s.file(p); file != "" {
			t, err := s.etag(file)
			if err != nil {
				return err
			}
			if t == tag {
				found = p
				return fs.SkipAll
			}
		}
		return nil
	})
	return found, err
}
