package r2

import (
	"bytes"
	"cmp"
	"crypto/md5" // R2's ETag is one
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/sqlite"
)

// The states of an upload, as miniflare writes them.
const (
	uploading = iota
	completed
	aborted
)

// CreateUpload begins a multipart upload and returns its id.
func (b *Bucket) CreateUpload(key string, o PutOptions) (id string, err error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	http, custom, err := o.metadata()
	if err != nil {
		return "", err
	}
	random := make([]byte, 128)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	id = base64.RawURLEncoding.EncodeToString(random)
	return id, b.index.Write(func(q objectstore.Execute) error {
		return q("INSERT INTO _mf_multipart_uploads (upload_id, key, http_metadata, custom_metadata) VALUES (?, ?, "+
			"?, ?)",
			[]any{id, key, string(http), string(custom)}, nil)
	})
}

// upload is the record of an upload, state -1 if there is none.
type upload struct {
	state        int64
	http, custom json.RawMessage
}

func findUpload(q objectstore.Execute, key, id string) (upload, error) {
	u := upload{state: -1}
	err := q("SELECT state, http_metadata, custom_metadata FROM _mf_multipart_uploads WHERE upload_id = ? AND key = ?",
		[]any{id, key},
		func(st *sqlite.Stmt) {
			u = upload{st.Int(0), json.RawMessage(st.Text(1)), json.RawMessage(st.Text(2))}
		})
	return u, err
}

// knownUpload is findUpload for methods where the platform has no better text for an upload that never was.
func knownUpload(q objectstore.Execute, key, id string) (upload, error) {
	u, err := findUpload(q, key, id)
	if err == nil && u.state < 0 {
		err = errInternal
	}
	return u, err
}

// Part is an uploaded part.
type Part struct {
	Number int    `json:"partNumber"`
	ETag   string `json:"etag"`
}

// UploadPart stores a part; a number that was used before is replaced.
func (b *Bucket) UploadPart(key, id string, number int, data []byte) (Part, error) {
	return b.uploadFrom(key, id, number, bytes.NewReader(data))
}

// uploadFrom is UploadPart of a part that comes bit by bit. In a cluster it is not held in memory.
func (b *Bucket) uploadFrom(key, id string, number int, from io.Reader) (Part, error) {
	if err := checkKey(key); err != nil {
		return Part{}, err
	}
	tag, err := newVersion()
	if err != nil {
		return Part{}, err
	}
	in, err := PutOptions{}.incoming(from)
	if err != nil {
		return Part{}, err
	}
	value, err := b.index.Make(in, b.clock.Now())
	if err != nil {
		return Part{}, fmt.Errorf("R2 part of %q: %w", key, err)
	}
	err = b.index.Exchange([]objectstore.Made{value}, func(q objectstore.Execute) (old []string, err error) {
		u, err := findUpload(q, key, id)
		if err != nil {
			return nil, err
		}
		if u.state != uploading {
			return nil, errNoUpload
		}
		if old, err = q.Names(
			"SELECT blob_id FROM _mf_multipart_parts WHERE upload_id = ? AND part_number = ?", id,
			int64(number)); err != nil {
			return nil, err
		}
		return old, q("INSERT OR REPLACE INTO _mf_multipart_parts (upload_id, part_number, blob_id, size, etag, "+
			"checksum_md5) VALUES (?, ?, ?, ?, ?, ?)",
			[]any{id, int64(number), value.Name, in.size, tag, in.sum("md5")}, nil)
	})
	if err != nil {
		return Part{}, err
	}
	return Part{number, tag}, nil
}

// uploaded is a part as the index has it.
type uploaded struct {
	number    int64
	size      int64
	etag, md5 string
}

// Complete makes an object of the parts. All but the last must have one size, of 5 MiB at least.
func (b *Bucket) Complete(key, id string, parts []Part) (*StoredObject, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	obj := &StoredObject{Key: key, Uploaded: b.clock.Now().UnixMilli(), Checksums: map[string]string{}}
	var err error
	if obj.Version, err = newVersion(); err != nil {
		return nil, err
	}
	err = b.index.Exchange(nil, func(q objectstore.Execute) (old []string, err error) {
		u, err := knownUpload(q, key, id)
		if err != nil {
			return nil, err
		}
		if u.state != uploading {
			return nil, errNoUpload
		}
		chosen, err := choose(q, id, parts)
		if err != nil {
			return nil, err
		}
		before, err := find(q, key)
		if err != nil {
			return nil, err
		}
		if old, err = unlink(q, before); err != nil {
			return nil, err
		}
		sum := md5.New() // R2's ETag is one
		for _, p := range chosen {
			obj.Size += p.size
			digest, err := hex.DecodeString(p.md5)
			if err != nil {
				return nil, fmt.Errorf("R2 part %d of %q: %w", p.number, key, err)
			}
			sum.Write(digest)
		}
		obj.ETag = fmt.Sprintf("%x-%d", sum.Sum(nil), len(chosen))
		obj.HTTP, obj.Custom = u.http, u.custom
		if err := insert(q, obj); err != nil {
			return nil, err
		}
		for _, p := range chosen {
			if err := q("UPDATE _mf_multipart_parts SET object_key = ? WHERE upload_id = ? AND part_number = ?",
				[]any{key, id, p.number}, nil); err != nil {
				return nil, err
			}
		}
		unused, err := q.Names(
			"DELETE FROM _mf_multipart_parts WHERE upload_id = ? AND object_key IS NULL RETURNING blob_id", id)
		if err != nil {
			return nil, err
		}
		return append(old, unused...), setState(q, id, completed)
	})
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// choose finds the parts that the caller of Complete names, in the order of their numbers.
func choose(q objectstore.Execute, id string, parts []Part) ([]uploaded, error) {
	have := map[int64]uploaded{}
	if err := q("SELECT part_number, size, etag, checksum_md5 FROM _mf_multipart_parts WHERE upload_id = ?", []any{id},
		func(st *sqlite.Stmt) {
			have[st.Int(0)] = uploaded{st.Int(0), st.Int(1), st.Text(2), st.Text(3)}
		}); err != nil {
		return nil, err
	}
	var chosen []uploaded
	seen := map[int]bool{}
	for _, p := range parts {
		if seen[p.Number] {
			return nil, errInternal
		}
		seen[p.Number] = true
	}
	for _, p := range parts {
		h, ok := have[int64(p.Number)]
		if !ok || h.etag != p.ETag {
			return nil, errNoPart
		}
		chosen = append(chosen, h)
	}
	for i := range len(chosen) - 1 {
		if chosen[i].size < minPart {
			return nil, errPartTooSmall
		}
	}
	slices.SortFunc(chosen, func(a, b uploaded) int { return cmp.Compare(a.number, b.number) })
	for i, p := range chosen {
		if i > 0 && (p.size > chosen[0].size || i < len(chosen)-1 && p.size != chosen[0].size) {
			return nil, errUnevenParts
		}
	}
	return chosen, nil
}

func setState(q objectstore.Execute, id string, state int64) error {
	return q("UPDATE _mf_multipart_uploads SET state = ? WHERE upload_id = ?", []any{state, id}, nil)
}

// Abort drops an upload and its parts. One that is over already is no error.
func (b *Bucket) Abort(key, id string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return b.index.Exchange(nil, func(q objectstore.Execute) (old []string, err error) {
		u, err := knownUpload(q, key, id)
		if err != nil || u.state != uploading {
			return nil, err
		}
		if old, err = q.Names("DELETE FROM _mf_multipart_parts WHERE upload_id = ? RETURNING blob_id", id); err != nil {
			return nil, err
		}
		return old, setState(q, id, aborted)
	})
}
