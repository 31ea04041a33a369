package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
)

// recordsPiece is how much of a pipeline's file becomes one value, in bytes.
const recordsPiece = 4 << 20

// importRecords puts the file of a pipeline into its shard, in pieces, with an index that is made at tmp.
func importRecords(shard *engine.Slice, f storeFile, tmp string) (err error) {
	from, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	db, err := sqlite.Open(tmp, sqlite.Options{})
	if err != nil {
		return err
	}
	if err = db.Exec(objects.RecordsSchema); err == nil {
		err = putRecords(shard, f, from, db)
	}
	if err == nil {
		_, err = db.Fold()
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := objects.Put(shard, f.key(), f.id, f.name, time.Time{}, tmp); err != nil {
		return err
	}
	return sqlite.Remove(tmp)
}

func putRecords(shard *engine.Slice, f storeFile, from io.Reader, index *sqlite.DB) error {
	piece := make([]byte, recordsPiece)
	for n := 1; ; n++ {
		size, err := io.ReadFull(from, piece)
		if size == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		name := fmt.Sprintf("imported%08d", n)
		if err := objects.PutValue(shard, f.key(), f.id, name, bytes.NewReader(piece[:size])); err != nil {
			return err
		}
		insert := fmt.Sprintf("INSERT INTO records (value, size) VALUES ('%s', %d)", name, size)
		if err := index.Exec(insert); err != nil {
			return err
		}
	}
}

// exportRecords writes the records of a pipeline as one file, in the order in which they came.
func exportRecords(o *objects.Stored, path string) (err error) {
	dir := path + ".parts"
	if err := os.MkdirAll(dir, sqlite.DirMode); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	index := filepath.Join(dir, "index.sqlite")
	if err := o.Write(index); err != nil {
		return err
	}
	if err := o.Values(func(name string, piece []byte) error {
		if filepath.Base(name) != name || !filepath.IsLocal(name) {
			return fmt.Errorf("the value %q of pipeline %q has no place", name, o.Name)
		}
		return appendTo(filepath.Join(dir, "value-"+name), bytes.NewReader(piece))
	}); err != nil {
		return err
	}
	names, err := recordNames(index)
	if err != nil {
		return fmt.Errorf("pipeline %q: %w", o.Name, err)
	}
	if err := os.WriteFile(path, nil, sqlite.FileMode); err != nil {
		return err
	}
	for _, name := range names {
		value, err := os.Open(filepath.Join(dir, "value-"+filepath.Base(name)))
		if err == nil {
			err = errors.Join(appendTo(path, value), value.Close())
		}
		if err != nil {
			return fmt.Errorf("pipeline %q: %w", o.Name, err)
		}
	}
	return nil
}

// recordNames are the values of a pipeline, in their order.
func recordNames(index string) (names []string, err error) {
	db, err := sqlite.Open(index, sqlite.Options{Existing: true, Repair: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	st, _, err := db.Prepare("SELECT value FROM records ORDER BY n", sqlite.Trusted)
	if err != nil {
		return nil, err
	}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return names, err
		}
		names = append(names, st.Text(0))
	}
}

func appendTo(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, sqlite.FileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
