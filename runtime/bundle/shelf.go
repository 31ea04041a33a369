package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"eddy/runtime/cachedir"
)

const (
	// shelfLimit is how many bytes of bundles are kept on disk, the newest; shelvedLimit how large one may be.
	shelfLimit, shelvedLimit = 256 << 20, 64 << 20
	// shelfMagic begins a file. Its number rises with the form.
	shelfMagic = "eddy bundle 6\n"
)

// Shelf keeps bundles on disk, so that a process that begins later with the same files need not build, be it of the
// same project or of a copy. What
// [Shelf.Take] gives was right when its files looked as they do now, as far as that can be told from outside of
// esbuild: a caller builds afterwards all the same, while the Worker runs already, and compares ([Bundle.Same]).
//
// A nil Shelf keeps nothing. Any goroutine may use one, and so may several processes.
type Shelf struct{ dir string }

// OpenShelf opens a folder for bundles, or gives nil if it is "" or may not be used. See package cachedir.
func OpenShelf(dir string) *Shelf {
	if dir == "" || !cachedir.Open(dir) {
		return nil
	}
	return &Shelf{dir}
}

// shelved is the head of a file. Behind it are the script, the source map, those of the packages, and the assets, and a
// checksum of all.
type shelved struct {
	Stamps   []stamp        `json:"stamps"`
	Format   EntryFormat    `json:"format"`
	Exports  []string       `json:"exports"`
	Stars    []string       `json:"stars"`
	Imports  []string       `json:"imports"`
	Inputs   []string       `json:"inputs"`
	Warnings []BuildMessage `json:"warnings"`
	// Shifts are those of the source map, four numbers each.
	Shifts []int          `json:"shifts"`
	Assets []shelvedAsset `json:"assets"`
	Script int            `json:"script"` // bytes
	Map    int            `json:"map"`
	// Packages is nil if they are part of the script.
	Packages *shelvedPackages `json:"packages"`
	Leading  int              `json:"leading"`
}

type shelvedPackages struct {
	Shifts []int `json:"shifts"`
	Script int   `json:"script"`
	Map    int   `json:"map"`
	// Learned is nil if the builds of a later process must find it out.
	Learned *shelvedLearned `json:"learned"`
}

type shelvedAsset struct {
	Name string   `json:"name"`
	Kind RuleType `json:"kind"`
	File string   `json:"file"`
	Size int      `json:"size"`
}

// shelfName is the name of the file of a bundle that is made with some options of an entry file as it is now by this
// very program, and "" if no other process can know it. A copy of the project has the same name, unless it lies deeper
// or less deep: then other folders above it count.
func shelfName(o Options) string {
	if o.Modules != nil || o.Rename != nil || o.Stops || o.NoBundle || o.FindAdditionalModules {
		return ""
	}
	entry := stampFile(o.Entry)
	linked := "" // a folder that is reached by a link may be another one tomorrow
	if real, err := filepath.EvalSymlinks(o.Dir); err != nil || real != o.Dir {
		linked = real
	}
	depth := strings.Count(o.Dir, string(filepath.Separator))
	o.CheckRegExp = nil // says the same in each process of one program
	o.Entry, o.BaseDir, o.TSConfig = within(o.Dir, o.Entry), within(o.Dir, o.BaseDir), within(o.Dir, o.TSConfig)
	o.Dir = ""
	text, err := json.Marshal(struct {
		Options
		Rename, CheckRegExp any
	}{Options: o})
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d\x00%s",
		executable(), entry.Hash, linked, depth, text))
	return hex.EncodeToString(digest[:16])
}

// within is a path as seen from a project's folder, in which a copy of it may lie elsewhere. "" stays.
func within(dir, path string) string {
	if seen, err := filepath.Rel(dir, path); err == nil && path != "" {
		return seen
	}
	return path
}

// outOf takes back what within did.
func outOf(dir, path string) string {
	if path == "" {
		return ""
	}
	return absolute(dir, path)
}

// move changes all paths of files in the head, which it has for itself.
func (h *shelved) move(change func(path string) string) {
	h.Stamps, h.Inputs = slices.Clone(h.Stamps), slices.Clone(h.Inputs)
	h.Warnings, h.Assets = slices.Clone(h.Warnings), slices.Clone(h.Assets)
	for i := range h.Stamps {
		h.Stamps[i].Path = change(h.Stamps[i].Path)
	}
	for i := range h.Inputs {
		h.Inputs[i] = change(h.Inputs[i])
	}
	for i := range h.Assets {
		h.Assets[i].File = change(h.Assets[i].File)
	}
	if p := h.Packages; p != nil && p.Learned != nil {
		p.Learned.move(change)
	}
	for i := range h.Warnings {
		w := &h.Warnings[i]
		w.File, w.Notes = change(w.File), slices.Clone(w.Notes)
		for j := range w.Notes {
			w.Notes[j].File = change(w.Notes[j].File)
		}
	}
}

// executable tells this executable from others, also from those of the same version.
func executable() string {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	path, err := os.Executable()
	if err != nil {
		return version
	}
	file, _ := lookAt(path)
	return fmt.Sprint(version, " ", path, " ", file.Size, " ", file.Time, " ", file.Changed, " ", file.Inode)
}

// Take gives the bundle that was made last with these options, if the files are still as they were, else nil. What is
// damaged is removed.
func (s *Shelf) Take(o Options) *Bundle {
	if s == nil {
		return nil
	}
	o, err := o.withDefaults()
	name := shelfName(o)
	if err != nil || name == "" {
		return nil
	}
	path := filepath.Join(s.dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	head, b, err := unpack(data, o.Dir)
	if err != nil {
		_ = os.Remove(path) // it stays damaged, and the next build writes over it
		return nil
	}
	if !unchanged(head.Stamps) {
		return nil
	}
	b.stamps = head.Stamps
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the oldest goes first
	return b
}

// Stands tells whether what was taken from a shelf is still what its files give.
func (b *Bundle) Stands() bool { return b == nil || unchanged(b.stamps) }

// Put keeps a bundle that was built with these options from files that were read from began on. A bundle whose files
// have been written meanwhile is not kept. An error costs later starts time and nothing else, so there is none.
func (s *Shelf) Put(o Options, b *Bundle, began time.Time) {
	if s == nil {
		return
	}
	o, err := o.withDefaults()
	name := shelfName(o)
	if err != nil || name == "" || b.Map == nil || b.Map.sections != nil && b.Packages == nil {
		return
	}
	list, complete := dependencies{inputs: b.Inputs, sought: b.sought, dir: o.Dir, tsconfig: o.TSConfig}.stamps()
	if !complete || !settled(list, began) {
		return
	}
	parts := pack(b, list, o.Dir)
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > shelvedLimit || cachedir.Write(s.dir, name, parts...) != nil {
		return
	}
	cachedir.Prune(s.dir, shelfLimit, time.Now())
}

// Drop forgets the bundle that was made with these options.
func (s *Shelf) Drop(o Options) {
	if s == nil {
		return
	}
	if o, err := o.withDefaults(); err == nil {
		if name := shelfName(o); name != "" {
			_ = os.Remove(filepath.Join(s.dir, name)) // what stays is compared again by the next session
		}
	}
}

// pack makes the parts of a file of a bundle of the project in dir.
func pack(b *Bundle, list []stamp, dir string) [][]byte {
	head := shelved{Stamps: list, Format: b.Format, Exports: b.Exports, Stars: b.Stars, Imports: b.Imports,
		Inputs: b.Inputs, Warnings: b.Warnings, Script: len(b.Source), Leading: b.Leading}
	own := b.Map
	if b.Packages != nil {
		own = b.Map.sections[1].of
	}
	head.Map, head.Shifts = len(own.json), packShifts(own.shifts)
	parts := [][]byte{nil, nil, []byte(b.Source), own.json}
	if p := b.Packages; p != nil {
		head.Packages = &shelvedPackages{Shifts: packShifts(p.Map.shifts), Script: len(p.Source), Map: len(p.Map.json),
			Learned: packLearned(b, list)}
		parts = append(parts, []byte(p.Source), p.Map.json)
	}
	for _, a := range b.Assets {
		head.Assets = append(head.Assets, shelvedAsset{a.Name, a.Kind, a.File, len(a.Bytes)})
		parts = append(parts, a.Bytes)
	}
	head.move(func(path string) string { return within(dir, path) })
	text, err := json.Marshal(head)
	if err != nil {
		panic(err) // plain data
	}
	parts[0] = binary.LittleEndian.AppendUint32([]byte(shelfMagic), uint32(len(text)))
	parts[1] = text
	sum := uint32(0)
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return append(parts, binary.LittleEndian.AppendUint32(nil, sum))
}

func packShifts(shifts []shift) (out []int) {
	for _, s := range shifts {
		replaced := 0
		if s.replaced {
			replaced = 1
		}
		out = append(out, s.line, s.out, s.in, replaced)
	}
	return out
}

func unpackShifts(list []int) (out []shift) {
	for i := 0; i+3 < len(list); i += 4 {
		f := list[i : i+4]
		out = append(out, shift{line: f[0], out: f[1], in: f[2], replaced: f[3] != 0})
	}
	return out
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errShelved = errors.New("bundle: damaged file")

// unpack reads a file.
func unpack(data []byte, dir string) (shelved, *Bundle, error) {
	var head shelved
	rest, ok := bytes.CutPrefix(data, []byte(shelfMagic))
	if !ok || len(rest) < 8 {
		return head, nil, errShelved
	}
	end := len(data) - 4
	if crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return head, nil, errShelved
	}
	size := uint64(binary.LittleEndian.Uint32(rest))
	rest = rest[4 : len(rest)-4]
	if size > uint64(len(rest)) || json.Unmarshal(rest[:size], &head) != nil {
		return head, nil, errShelved
	}
	rest = rest[size:]
	head.move(func(path string) string { return outOf(dir, path) })
	next := func(n int) []byte {
		if n < 0 || n > len(rest) {
			ok = false
			return nil
		}
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	b := &Bundle{Format: head.Format, Exports: head.Exports, Stars: head.Stars, Imports: head.Imports,
		Inputs: head.Inputs, Warnings: head.Warnings, Source: string(next(head.Script))}
	b.Map = &SourceMap{json: next(head.Map), dir: dir, lines: prologueLines, shifts: unpackShifts(head.Shifts)}
	ok = ok && len(head.Shifts)%4 == 0
	if h := head.Packages; h != nil {
		p := &Packages{Source: string(next(h.Script))}
		p.Map = &SourceMap{json: next(h.Map), dir: dir, lines: prologueLines, shifts: unpackShifts(h.Shifts)}
		ok = ok && len(h.Shifts)%4 == 0
		_, b.Map = p.before("", b.Map)
		b.Packages, b.Leading = p, head.Leading
	}
	for _, a := range head.Assets {
		b.Assets = append(b.Assets, Asset{Name: a.Name, Kind: a.Kind, File: a.File, Bytes: next(a.Size)})
	}
	if !ok || len(rest) != 0 {
		return head, nil, errShelved
	}
	if p := head.Packages; p != nil && p.Learned != nil && !p.Learned.unpack(b, head.Stamps) {
		return head, nil, errShelved
	}
	return head, b, nil
}

// Same tells whether two bundles run alike and show the same places.
func (b *Bundle) Same(other *Bundle) bool {
	if b.Source != other.Source || b.Format != other.Format || len(b.Assets) != len(other.Assets) ||
		b.Map == nil || other.Map == nil || !b.Map.same(other.Map) {
		return false
	}
	if p, o := b.Packages, other.Packages; (p == nil) != (o == nil) || p != nil && p != o && !p.same(o) {
		return false
	}
	for i, a := range b.Assets {
		o := other.Assets[i]
		if a.Name != o.Name || a.Kind != o.Kind || !bytes.Equal(a.Bytes, o.Bytes) {
			return false
		}
	}
	return true
}

// same tells whether two maps show the same places of the same script.
func (m *SourceMap) same(other *SourceMap) bool {
	return bytes.Equal(m.json, other.json) && slices.EqualFunc(m.sections, other.sections, func(a, b mapSection) bool {
		return a.first == b.first && a.of.same(b.of)
	})
}
