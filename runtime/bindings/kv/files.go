package kv

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dop251/goja"

	whatwg "eddy/runtime/webapi/url"
	"eddy/runtime/worker"
)

// source is where a namespace reads: a [Store], or the [Files] of a Workers Site.
type source interface {
	Get(key string) (StoredValue, bool, error)
	List(prefix, cursor string, limit int) (Page, error)
}

// sitePrefix begins the keys of a manifest, as in wrangler dev: kv-asset-handler does not cache a key that contains it.
const sitePrefix = "$__MINIFLARE_SITES__$/"

// Files are the files of a Workers Site: what env.__STATIC_CONTENT reads. They are looked up at each call, under their
// path or under the manifest's key for it. Any goroutine.
type Files struct {
	dir string
	has func(path string) bool
}

// NewFiles are the files below dir for which has is true; their paths have slashes.
func NewFiles(dir string, has func(path string) bool) *Files { return &Files{dir, has} }

// Manifest is the text of the module __STATIC_CONTENT_MANIFEST: from paths to keys.
func (f *Files) Manifest() (string, error) {
	manifest := map[string]string{}
	err := f.walk(func(path string) { manifest[path] = siteKey(path) })
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(manifest)
	return string(text), err
}

func (f *Files) walk(visit func(path string)) error {
	err := filepath.WalkDir(f.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err := filepath.Rel(f.dir, file)
		if path = filepath.ToSlash(path); err == nil && f.has(path) {
			visit(path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("files of the Workers Site: %w", err)
	}
	return nil
}

// Get implements source. Files whose path has a name with a dot in front are in the manifest only, as in wrangler dev.
func (f *Files) Get(key string) (StoredValue, bool, error) {
	if rest, ok := strings.CutPrefix(key, sitePrefix); ok {
		path, err := url.PathUnescape(rest)
		if err != nil {
			return StoredValue{}, false, nil // the manifest has no such key, so there is no such file
		}
		key = path
	}
	if !filepath.IsLocal(filepath.FromSlash(key)) || dotted(key) || !f.has(key) {
		return StoredValue{}, false, nil
	}
	file := filepath.Join(f.dir, filepath.FromSlash(key))
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return StoredValue{}, false, nil
	}
	var value []byte
	if err == nil {
		value, err = os.ReadFile(file)
	}
	if err != nil {
		return StoredValue{}, false, fmt.Errorf("file of the Workers Site: %w", err)
	}
	return StoredValue{Value: value}, true, nil
}

// List implements source. It lists the manifest's keys.
func (f *Files) List(prefix, cursor string, limit int) (Page, error) {
	var names []string
	err := f.walk(func(path string) {
		if key := siteKey(path); !dotted(path) && strings.HasPrefix(key, prefix) {
			names = append(names, key)
		}
	})
	slices.Sort(names)
	if after, _ := base64.StdEncoding.DecodeString(cursor); len(after) > 0 {
		at := slices.Index(names, string(after))
		if at < 0 {
			at = len(names) - 1
		}
		names = names[at+1:]
	}
	var p Page
	if len(names) > limit {
		names = names[:limit]
		p.Cursor = base64.StdEncoding.EncodeToString([]byte(names[limit-1]))
	}
	for _, name := range names {
		p.Keys = append(p.Keys, Key{Name: name})
	}
	return p, err
}

func dotted(path string) bool { return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") }

// siteKey is the manifest's key of a path.
func siteKey(path string) string { return sitePrefix + whatwg.PercentEncodeComponent(path) }

// SiteBinding is env.__STATIC_CONTENT, which reads files.
type SiteBinding struct{ Files *Files }

// Name implements [worker.Binding].
func (SiteBinding) Name() string { return "__STATIC_CONTENT" }

// Install implements [worker.Binding].
func (b SiteBinding) Install(iso *worker.Isolate) (goja.Value, error) {
	return class(iso).Wrap(&namespace{iso: iso, source: b.Files}), nil
}
