package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"eddy/runtime/sqlite"
)

// Facets numbers the facets of one object (CL14): each has a file of its own, <id>.<n>.sqlite. The numbers are kept in
// <id>.facets, which workerd reads and writes, too: a magic number, and for each facet its parent's number and its
// name. The object itself is number 0; the first entry is number 1. A number is never used again for another name.
// Owner's goroutine only.
type Facets struct {
	id      string
	keeper  Keeper // nil for a list that lies on this machine's disk
	path    string
	entries []facetEntry
	// size is how much of the file is good: a torn entry at its end was never used.
	size int64
}

type facetEntry struct {
	parent int
	name   string
}

const (
	facetsSuffix = ".facets"
	maxFacets    = 1<<16 - 1
	facetHeader  = 4 // the parent's number and the name's length, two bytes each
)

var facetsMagic = binary.LittleEndian.AppendUint64(nil, 0xc4cdce5bc5b0ef57)

// Facets reads the numbers of an object's facets. Nothing is created before the first is given out.
func (ns *Namespace) Facets(id string) (*Facets, error) {
	f := &Facets{id: id, keeper: ns.opts.Keeper, path: FacetsFile(ns.dir, id)}
	data, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("facets of an object: %w", err)
	}
	if err := f.parse(data); err != nil {
		return nil, fmt.Errorf("facets of an object: %s: %w", f.path, err)
	}
	return f, nil
}

// parse takes the entries of a file, up to the first that is not sound.
func (f *Facets) parse(data []byte) error {
	if len(data) <= len(facetsMagic) {
		return nil // not even the head was written whole
	}
	if !bytes.HasPrefix(data, facetsMagic) {
		return errors.New("not an index of facets")
	}
	f.size = int64(len(facetsMagic))
	for rest := data[f.size:]; len(rest) >= facetHeader && len(f.entries) < maxFacets; {
		e := facetEntry{parent: int(binary.LittleEndian.Uint16(rest))}
		n := int(binary.LittleEndian.Uint16(rest[2:]))
		if n == 0 || len(rest) < facetHeader+n || e.parent > len(f.entries) {
			break
		}
		e.name = string(rest[facetHeader : facetHeader+n])
		if _, known := f.Find(e.parent, e.name); known {
			break
		}
		f.entries = append(f.entries, e)
		f.size += int64(facetHeader + n)
		rest = rest[facetHeader+n:]
	}
	return nil
}

// Find returns the number of a facet, and false if the facet has none.
func (f *Facets) Find(parent int, name string) (int, bool) {
	for i, e := range f.entries {
		if e.parent == parent && e.name == name {
			return i + 1, true
		}
	}
	return 0, false
}

// Number returns the number of a facet. A new number is on disk before it is returned.
func (f *Facets) Number(parent int, name string) (int, error) {
	if n, ok := f.Find(parent, name); ok {
		return n, nil
	}
	if len(f.entries) >= maxFacets {
		return 0, errors.New("maximum number of facets exceeded")
	}
	b := binary.LittleEndian.AppendUint16(nil, uint16(parent))
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(name))), name...)
	if err := f.append(b); err != nil {
		return 0, fmt.Errorf("facets of an object: %w", err)
	}
	f.entries = append(f.entries, facetEntry{parent, name})
	return len(f.entries), nil
}

func (f *Facets) append(entry []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.path), sqlite.DirMode); err != nil {
		return err
	}
	if st, err := os.Lstat(f.path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", f.path, sqlite.ErrNotFile)
	}
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY, sqlite.FileMode)
	if err != nil {
		return err
	}
	at := f.size
	if at == 0 {
		entry = append(bytes.Clone(facetsMagic), entry...)
	}
	err = file.Truncate(at)
	if err == nil {
		_, err = file.WriteAt(entry, at)
	}
	if err == nil && f.keeper == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	f.size = at + int64(len(entry))
	if f.keeper != nil {
		f.keeper.KeepFacet(f.id, len(f.entries)+1, entry)
	}
	return nil
}

// Under lists the numbers of all facets below one, at any depth.
func (f *Facets) Under(parent int) []int {
	below := map[int]bool{parent: true}
	var out []int
	for i, e := range f.entries { // a parent comes before its children
		if below[e.parent] {
			below[i+1] = true
			out = append(out, i+1)
		}
	}
	return out
}

// FacetID is the id of a facet's [Store]: the object's, and the facet's number.
func FacetID(id string, number int) string {
	if number == 0 {
		return id
	}
	return id + "." + strconv.Itoa(number)
}

// ObjectOf is the id of the object of which a Store's id is a facet, or the object itself.
func ObjectOf(id string) string {
	object, _, _ := strings.Cut(id, ".")
	return object
}

// FacetsFile is the list of an object's facets in the folder of its namespace.
func FacetsFile(dir, id string) string { return filepath.Join(dir, id+facetsSuffix) }

// DeleteFacets deletes what the facets of these numbers stored. kept is called when that is kept, at once where files
// are.
func (ns *Namespace) DeleteFacets(id string, numbers []int, kept func(error)) error {
	var list []*Store
	for _, n := range numbers {
		s := ns.Store(FacetID(id, n))
		if !s.Exists() {
			continue
		}
		if err := s.DeleteAll(false); err != nil {
			return err
		}
		list = append(list, s)
	}
	ns.keepAll(list, kept)
	return nil
}

// keepAll closes Stores and calls kept when what has become of them is kept. A keeper keeps in the order in which it is
// told, so the last one stands for all.
func (ns *Namespace) keepAll(list []*Store, kept func(error)) {
	if ns.opts.Keeper == nil || len(list) == 0 {
		for _, s := range list {
			s.Close()
		}
		kept(nil)
		return
	}
	for i, s := range list {
		done := kept
		if i < len(list)-1 {
			done = func(error) {}
		}
		s.keep(done)
		s.Close()
	}
}

// CopyFacet gives the facet numbered to what the one numbered from has committed, and does the same with all facets
// below. What the facets that get it had stored must have been deleted. kept is that of [Namespace.DeleteFacets].
func (ns *Namespace) CopyFacet(id string, f *Facets, from, to int, kept func(error)) error {
	list, err := ns.copyFacet(id, f, from, to)
	if err != nil {
		return err
	}
	ns.keepAll(list, kept)
	return nil
}

func (ns *Namespace) copyFacet(id string, f *Facets, from, to int) (list []*Store, err error) {
	for i := range len(f.entries) { // a copy adds entries behind these
		if e := f.entries[i]; e.parent == from {
			below, err := f.Number(to, e.name)
			if err != nil {
				return nil, err
			}
			more, err := ns.copyFacet(id, f, i+1, below)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	src, dst := ns.Store(FacetID(id, from)), ns.Store(FacetID(id, to))
	if !src.Exists() {
		return list, nil
	}
	if err := dst.copyFrom(src); err != nil {
		return nil, fmt.Errorf("copy facet %s: %w", src.path, err)
	}
	return append(list, dst), nil
}

// copyFrom makes what is stored what another Store has committed, durably.
func (s *Store) copyFrom(src *Store) error {
	h, err := s.acquire(true)
	if err != nil {
		return err
	}
	if err := h.db.CopyFrom(src.path); err != nil {
		return s.fail(err)
	}
	if s.ns.opts.HistoryDir != "" {
		if _, err := s.current(); err != nil {
			return err
		}
	}
	s.alarm.known, s.named = false, false
	if s.ns.opts.Keeper != nil {
		s.created, s.changed = true, true
		return nil
	}
	return syncDatabase(s.path, h.db, true, s.ns.opts.Faults)
}
