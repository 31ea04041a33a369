package explorer

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/r2"
)

// R2Page is the model of an R2 bucket.
type R2Page struct {
	StoreRow
	Prefix  string  `json:"prefix"`
	Cursor  string  `json:"cursor,omitempty"`
	Objects []R2Row `json:"objects"`
	Next    string  `json:"next,omitempty"`
	// Value is the object that was asked for, nil for none.
	Value *R2Value `json:"value,omitempty"`
}

// R2Row is an object of a bucket.
type R2Row struct {
	Key      string    `json:"key"`
	Size     int64     `json:"size"`
	ETag     string    `json:"etag"`
	Uploaded time.Time `json:"uploaded"`
}

// R2Value is an object with what is known of it, and the beginning of its bytes.
type R2Value struct {
	R2Row
	HTTP   string `json:"httpMetadata"`
	Custom string `json:"customMetadata"`
	Text   string `json:"text"`
	Base64 bool   `json:"base64,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
}

// shownOfObject is how many bytes of an object a page shows.
const shownOfObject = 64 << 10

func (x *Server) r2Pages() []page {
	return []page{of("r2/{bucket}", "r2", "An R2 bucket: its objects, and one of them.", x.r2, field{"prefix",
		"of the keys"},
		field{"cursor", "from the page before"}, field{"key", "which object is shown"})}
}

// bucket opens a bucket beside the session, and closes it again.
func (x *Server) bucket(name string, do func(b r2.Contents) error) (row StoreRow, err error) {
	l, err := x.stores(nil)
	if err != nil {
		return row, err
	}
	if row, err = x.bound(l.R2, name, "R2 bucket"); err != nil {
		return row, err
	}
	if x.o.Cluster != nil {
		return row, do(r2.AwayBucket{Way: x.o.Cluster.Stored(objectstore.Name{Kind: "r2", ID: row.ID})})
	}
	b := r2.New(r2.Options{State: x.o.State, Name: row.ID, Clock: x.o.Clock})
	return row, errors.Join(do(b), b.Close())
}

func (x *Server) r2(r *http.Request) (*R2Page, error) {
	v, limit := r.URL.Query(), pageOfStored
	p := &R2Page{Prefix: v.Get("prefix"), Cursor: v.Get("cursor"), Objects: []R2Row{}}
	var err error
	p.StoreRow, err = x.bucket(r.PathValue("bucket"), func(b r2.Contents) error {
		list, err := b.List(r2.ListOptions{Limit: &limit, Prefix: p.Prefix, Cursor: p.Cursor})
		if err != nil {
			return err
		}
		p.Next = list.Cursor
		for _, o := range list.Objects {
			p.Objects = append(p.Objects, r2Row(o))
		}
		if !v.Has("key") {
			return nil
		}
		o, body, err := b.Get(v.Get("key"), nil, nil)
		if err != nil || o == nil {
			return err
		}
		defer body.Close()
		head, err := io.ReadAll(io.LimitReader(body, shownOfObject))
		if err != nil {
			return err
		}
		p.Value = &R2Value{R2Row: r2Row(o), HTTP: string(o.HTTP), Custom: string(o.Custom),
			Cut: o.Size > int64(len(head))}
		p.Value.Text, p.Value.Base64 = shownBytes(head)
		return nil
	})
	return p, err
}

func r2Row(o *r2.StoredObject) R2Row {
	return R2Row{o.Key, o.Size, o.ETag, time.UnixMilli(o.Uploaded).UTC()}
}

// download gives an object as a file. It is nobody's page: a browser keeps it and does not show it.
func (x *Server) download(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	_, err := x.bucket(r.PathValue("bucket"), func(b r2.Contents) error {
		o, body, err := b.Get(key, nil, nil)
		if err != nil {
			return err
		}
		if o == nil {
			return missing("the bucket has no object %s", key)
		}
		defer body.Close()
		header(w)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(o.Size, 10))
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{
			"filename": path.Base(key)}))
		_, _ = io.Copy(w, body) // the visitor has gone
		return nil
	})
	if err != nil {
		x.refuse(w, r, err)
	}
}

func (x *Server) r2Acts() []act {
	return []act{
		{path: "r2/{bucket}/put", about: "Stores an object: a file that is uploaded, or a text.",
			fields: []field{{"key", "its name"}, {"value", "text"}, {"file", "in a form of type multipart/form-data"}},
			do:     x.putR2},
		{path: "r2/{bucket}/delete", about: "Deletes an object.", fields: []field{{"key", "its name"}},
			do: func(in input) (string, string, error) {
				_, err := x.bucket(in.path("bucket"),
					func(b r2.Contents) error { return b.Delete([]string{in.get("key")}) })
				return "deleted " + in.get("key"), storePath("r2", in.path("bucket")), err
			}},
	}
}

func (x *Server) putR2(in input) (string, string, error) {
	data, key := []byte(in.get("value")), in.get("key")
	if in.r.MultipartForm != nil && len(in.r.MultipartForm.File["file"]) > 0 {
		head := in.r.MultipartForm.File["file"][0]
		f, err := head.Open()
		if err != nil {
			return "", "", err
		}
		defer f.Close()
		if data, err = io.ReadAll(f); err != nil {
			return "", "", err
		}
		if key == "" {
			key = head.Filename
		}
	}
	if key == "" {
		return "", "", refused("an object needs a key")
	}
	_, err := x.bucket(in.path("bucket"), func(b r2.Contents) error {
		_, err := b.Put(key, data, r2.PutOptions{})
		return err
	})
	var theirs *r2.Error
	if errors.As(err, &theirs) {
		return "", "", refused("%v", theirs)
	}
	return "stored " + key, storePath("r2", in.path("bucket")), err
}
