package r2

import (
	"bytes"
	"crypto/md5" // R2's ETag is one
	"crypto/rand"
	"crypto/sha1" // a checksum that users may ask for
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf16"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
	"eddy/runtime/statedir"
)

// schema is the one that miniflare writes.
const schema = `CREATE TABLE IF NOT EXISTS _mf_objects (
    key TEXT PRIMARY KEY,
    blob_id TEXT,
    version TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    uploaded INTEGER NOT NULL,
    checksums TEXT NOT NULL,
    http_metadata TEXT NOT NULL,
    custom_metadata TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS _mf_multipart_uploads (
    upload_id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    http_metadata TEXT NOT NULL,
    custom_metadata TEXT NOT NULL,
    state TINYINT DEFAULT 0 NOT NULL
);
CREATE TABLE IF NOT EXISTS _mf_multipart_parts (
    upload_id TEXT NOT NULL REFERENCES _mf_multipart_uploads(upload_id),
    part_number INTEGER NOT NULL,
    blob_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    checksum_md5 TEXT NOT NULL,
    object_key TEXT REFERENCES _mf_objects(key) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (upload_id, part_number)
);`

// Options configure a [Bucket].
type Options struct {
	// State is the state directory that keeps the bucket.
	State statedir.Dir
	// Name is the bucket's.
	Name string
	// Clock gives the time of uploads.
	Clock clock.Clock
	// Relaxed leaves it to the operating system when a put reaches the disk.
	Relaxed bool
	// Home is where a cluster keeps the bucket, nil outside of one.
	Home *objectstore.Home
}

// Bucket is one bucket. Its methods may be called from any goroutine; errors that the platform has are [*Error].
type Bucket struct {
	clock clock.Clock
	index *objectstore.Index
}

// New makes a bucket; nothing is opened yet.
func New(o Options) *Bucket {
	return &Bucket{clock: o.Clock, index: objectstore.NewIndex(objectstore.IndexOptions{Path: Path(o.State, o.Name),
		Schema: schema, What: "R2 bucket", Relaxed: o.Relaxed, Home: o.Home, Named: named,
		Values: objectstore.Values{Dir: o.State.Blobs("r2", o.Name), Relaxed: o.Relaxed}})}
}

// named finds the object or the part whose value is called so.
const named = "SELECT 1 FROM _mf_objects WHERE blob_id = ?1 UNION ALL " +
	"SELECT 1 FROM _mf_multipart_parts WHERE blob_id = ?1"

// Path is where wrangler keeps the index of a bucket in a state directory (DEV4).
func Path(state statedir.Dir, name string) string {
	return objectstore.IndexPath(state, "r2", "R2BucketObject", name)
}

// Close ends the bucket. Calling it again does nothing.
func (b *Bucket) Close() error { return b.index.Close() }

// PutOptions are those of put.
type PutOptions struct {
	HTTP   json.RawMessage   `json:"httpMetadata,omitempty"`
	Custom map[string]string `json:"customMetadata"`
	OnlyIf *Condition        `json:"onlyIf"`
	// Checksums are the digests that the value must have, in hex, by algorithm.
	Checksums map[string]string `json:"checksums"`
}

// digests are the algorithms of checksums, with their names in error texts.
var digests = map[string]struct {
	name string
	make func() hash.Hash
}{
	"md5":    {"MD5", md5.New},    // see above
	"sha1":   {"SHA-1", sha1.New}, // see above
	"sha256": {"SHA-256", sha256.New},
	"sha384": {"SHA-384", sha512.New384},
	"sha512": {"SHA-512", sha512.New},
}

// incoming is a value on its way into a bucket: its length, its MD5 and the checksums that were asked for.
type incoming struct {
	io.Reader
	size int64
	sums map[string]hash.Hash
}

func (o PutOptions) incoming(from io.Reader) (*incoming, error) {
	in := &incoming{Reader: from, sums: map[string]hash.Hash{"md5": md5.New()}}
	for algorithm := range o.Checksums {
		d, ok := digests[algorithm]
		if !ok {
			return nil, errInternal
		}
		in.sums[algorithm] = d.make()
	}
	return in, nil
}

// Read implements [io.Reader].
func (in *incoming) Read(p []byte) (int, error) {
	n, err := in.Reader.Read(p)
	in.size += int64(n)
	for _, h := range in.sums {
		h.Write(p[:n])
	}
	return n, err
}

func (in *incoming) sum(algorithm string) string {
	return hex.EncodeToString(in.sums[algorithm].Sum(nil))
}

// verify compares the checksums that were given and returns them.
func (o PutOptions) verify(in *incoming) (map[string]string, error) {
	have := map[string]string{}
	for algorithm, want := range o.Checksums {
		d := digests[algorithm]
		got := in.sum(algorithm)
		if got != want {
			return nil, &Error{10037, fmt.Sprintf("The %s checksum you specified did not match what we received.\n"+
				"You provided a %s checksum with value: %s\nActual %s was: %s", d.name, d.name, want, d.name, got)}
		}
		have[algorithm] = got
	}
	return have, nil
}

// metadata checks the size of custom metadata and returns both kinds as JSON.
func (o PutOptions) metadata() (http, custom json.RawMessage, err error) {
	size := 0
	for k, v := range o.Custom {
		size += stored(k) + stored(v)
	}
	if size > maxMetadata {
		return nil, nil, errMetadata
	}
	http, custom = o.HTTP, json.RawMessage("{}")
	if len(http) == 0 {
		http = json.RawMessage("{}")
	}
	if len(o.Custom) > 0 {
		if custom, err = json.Marshal(o.Custom); err != nil {
			return nil, nil, err
		}
	}
	return http, custom, nil
}

// stored is the size of a text as V8 keeps it: a byte for each character if all fit into one, else two.
func stored(s string) int {
	units := utf16.Encode([]rune(s))
	for _, u := range units {
		if u > 0xFF {
			return 2 * len(units)
		}
	}
	return len(units)
}

func checkKey(key string) error {
	if len(key) > maxKey {
		return errName
	}
	return nil
}

func newVersion() (string, error) {
	b := make([]byte, 16)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}

// Put stores a value. The object is nil when the condition does not hold.
func (b *Bucket) Put(key string, data []byte, o PutOptions) (*StoredObject, error) {
	return b.putFrom(key, bytes.NewReader(data), o)
}

// putFrom is Put of a value that comes bit by bit. In a cluster it is not held in memory.
func (b *Bucket) putFrom(key string, from io.Reader, o PutOptions) (*StoredObject, error) {
	in, err := o.incoming(from)
	if err == nil {
		err = checkKey(key)
	}
	if err != nil {
		return nil, err
	}
	obj := &StoredObject{Key: key}
	if obj.HTTP, obj.Custom, err = o.metadata(); err != nil {
		return nil, err
	}
	if obj.Version, err = newVersion(); err != nil {
		return nil, err
	}
	obj.Uploaded = b.clock.Now().UnixMilli()
	value, err := b.index.Make(in, b.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("R2 value of %q: %w", key, err)
	}
	obj.value, obj.Size, obj.ETag = value.Name, in.size, in.sum("md5")
	if obj.Checksums, err = o.verify(in); err != nil {
		if unmade := b.index.Unmake(value); unmade != nil {
			err = errors.Join(err, unmade)
		}
		return nil, err
	}
	err = b.index.Exchange([]objectstore.Made{value}, func(q objectstore.Execute) (old []string, err error) {
		before, err := find(q, key)
		if err == nil && !o.OnlyIf.holds(before) {
			err = errNotMet
		}
		if err == nil {
			old, err = unlink(q, before)
		}
		if err == nil {
			err = insert(q, obj)
		}
		return old, err
	})
	if errors.Is(err, errNotMet) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	obj.Checksums["md5"] = obj.ETag
	return obj, nil
}

// errNotMet undoes a put whose condition does not hold.
var errNotMet = errors.New("the condition does not hold")

func insert(q objectstore.Execute, o *StoredObject) error {
	sums, err := json.Marshal(o.Checksums)
	if err != nil {
		return err
	}
	var value any
	if o.value != "" {
		value = o.value
	}
	return q("INSERT OR REPLACE INTO _mf_objects ("+columns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[]any{o.Key, o.Version, o.Size, o.ETag, o.Uploaded, string(sums), string(o.HTTP), string(o.Custom), value}, nil)
}

// find reads a key, nil if it is not there.
func find(q objectstore.Execute, key string) (o *StoredObject, err error) {
	qerr := q("SELECT "+columns+" FROM _mf_objects WHERE key = ?", []any{key},
		func(st *sqlite.Stmt) { o, err = scan(st) })
	return o, errors.Join(qerr, err)
}

// unlink returns the files of an object's value, and makes the index forget its parts. A nil object has none.
func unlink(q objectstore.Execute, o *StoredObject) (files []string, err error) {
	switch {
	case o == nil:
		return nil, nil
	case o.value != "":
		return []string{o.value}, nil
	}
	return q.Names("DELETE FROM _mf_multipart_parts WHERE object_key = ? RETURNING blob_id", o.Key)
}

// Delete removes keys. A key that does not exist is not an error.
func (b *Bucket) Delete(keys []string) error {
	for _, k := range keys {
		if err := checkKey(k); err != nil {
			return err
		}
	}
	return b.index.Exchange(nil, func(q objectstore.Execute) (old []string, err error) {
		for _, k := range keys {
			o, err := find(q, k)
			if err != nil {
				return nil, err
			}
			files, err := unlink(q, o)
			if err != nil {
				return nil, err
			}
			old = append(old, files...)
			if err := q("DELETE FROM _mf_objects WHERE key = ?", []any{k}, nil); err != nil {
				return nil, err
			}
		}
		return old, nil
	})
}

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (b *Bucket) Uses() int64 { return b.index.Uses() }

// Rest closes the files until the next call: somebody replaces them meanwhile.
func (b *Bucket) Rest() error { return b.index.Rest() }

// Clear deletes all objects and uploads.
func (b *Bucket) Clear() error { return b.index.Clear() }

// Leave gives the bucket up, because it is another node's or will be.
func (b *Bucket) Leave() error { return b.index.Leave() }
