package vitest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

// Snapshots are what became of the snapshots of a file (TEST-125).
type Snapshots struct {
	Added, Updated, Matched, Unmatched int
	// Removed is how many obsolete entries were removed, FileRemoved that none is left; Obsolete are those that stay.
	Removed     int
	FileRemoved bool
	Obsolete    []string
}

// written is what a file's run hands over at its end.
type written struct {
	File      string            `json:"file"`
	Entries   map[string]string `json:"entries"`
	Inline    []inlineSnapshot  `json:"inline"`
	Raw       []rawSnapshot     `json:"raw"`
	Added     int               `json:"added"`
	Updated   int               `json:"updated"`
	Matched   int               `json:"matched"`
	Unmatched int               `json:"unmatched"`
	Removed   int               `json:"removed"`
	Obsolete  []string          `json:"obsolete"`
	Mode      string            `json:"mode"`
}

// rawSnapshot is a file of its own (toMatchFileSnapshot).
type rawSnapshot struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// snapshotFunctions give the scripts what they need of the disk.
func (h Host) snapshotFunctions(iso *worker.Isolate, set func(string, func(goja.FunctionCall) goja.Value)) {
	rt := iso.Runtime()
	set("snapshots", func(fc goja.FunctionCall) goja.Value {
		entries, err := ReadSnapshots(SnapshotFile(fc.Argument(0).String()))
		if err != nil {
			panic(iso.Realm.NewError("Error", err.Error()))
		}
		text, err := json.Marshal(entries)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		return rt.ToValue(string(text))
	})
	set("readSnapshot", func(fc goja.FunctionCall) goja.Value {
		data, err := os.ReadFile(beside(fc.Argument(0).String(), fc.Argument(1).String()))
		if errors.Is(err, fs.ErrNotExist) {
			return goja.Null()
		}
		if err != nil {
			panic(iso.Realm.NewError("Error", err.Error()))
		}
		return rt.ToValue(string(data))
	})
	set("writeSnapshots", func(fc goja.FunctionCall) goja.Value {
		var w written
		err := json.Unmarshal([]byte(fc.Argument(0).String()), &w)
		if err == nil {
			err = w.write()
		}
		if err != nil {
			panic(iso.Realm.NewError("Error", err.Error()))
		}
		h.Snapshots(Snapshots{
			Added: w.Added, Updated: w.Updated, Matched: w.Matched, Unmatched: w.Unmatched, Removed: w.Removed,
			Obsolete: w.Obsolete, FileRemoved: w.Removed > 0 && len(w.Entries) == 0,
		})
		return goja.Undefined()
	})
}

// beside is a path that is relative to a test file.
func beside(test, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(test), filepath.FromSlash(path))
}

// write brings to the disk what is new.
func (w *written) write() error {
	if w.Mode == "none" {
		return nil
	}
	var errs []error
	if w.Added+w.Updated+w.Removed > 0 {
		file := SnapshotFile(w.File)
		old, err := ReadSnapshots(file)
		if err != nil || !sameEntries(old, w.Entries) {
			errs = append(errs, WriteSnapshots(file, w.Entries))
		}
	}
	byFile := map[string][]inlineSnapshot{}
	for _, s := range w.Inline {
		path := filepath.FromSlash(strings.TrimPrefix(s.File, "file://"))
		byFile[path] = append(byFile[path], s)
	}
	for file, list := range byFile {
		errs = append(errs, writeInline(file, list))
	}
	for _, raw := range w.Raw {
		errs = append(errs, writeWhole(beside(w.File, raw.Path), raw.Text))
	}
	return errors.Join(errs...)
}

func sameEntries(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}
