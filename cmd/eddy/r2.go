package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/r2"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newR2 makes the verbs for R2 buckets. They open the bucket's files, which a running session may have open as well.
func newR2(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("r2", "See and change the R2 buckets of a configuration, while a session runs or not")
	f.add(cmd)
	f.addCluster(cmd)
	object := group("object", "Get, put, delete and list objects of a bucket, named BUCKET/KEY")
	object.AddCommand(r2Get(env, f), r2Put(env, f), r2Delete(env, f), r2List(env, f))
	bucket := group("bucket", "See the buckets of the configuration")
	bucket.AddCommand(append(elsewhereBelow("r2 bucket"), r2Buckets(env, f))...)
	cmd.AddCommand(append(elsewhereBelow("r2"), object, bucket)...)
	return finish(env, f, cmd)
}

// bucket makes the RunE of a verb whose first argument is BUCKET/KEY, or BUCKET alone if the verb needs no key.
func (f *stateFlags) bucket(env OS, needKey bool, do func(b r2.Contents, name, key string,
	out output) error) func(*cobra.Command, []string) error {
	return f.opened(env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
		out output) error {
		name, key, _ := strings.Cut(args[0], "/")
		if needKey && key == "" {
			return usage("%q: expected BUCKET/KEY", args[0])
		}
		i, err := bucketKind.choose(cfg, name)
		if err != nil {
			return err
		}
		bound := cfg.R2Buckets[i]
		if way, end, err := f.way(ctx, objectstore.Name{Kind: "r2", ID: bound.BucketName}); err != nil || way != nil {
			if err == nil {
				defer end()
				err = do(r2.AwayBucket{Way: way}, bound.BucketName, key, out)
			}
			return err
		}
		b := r2.New(r2.Options{State: state, Name: bound.BucketName, Clock: clock.Real{}})
		return errors.Join(do(b, bound.BucketName, key, out), b.Close())
	})
}

func r2Get(env OS, f *stateFlags) *cobra.Command {
	var file string
	var pipe bool
	cmd := &cobra.Command{
		Use: "get BUCKET/KEY", Short: "Write an object to a file of its name, to --file, or with --pipe to standard " +
			"output", Args: form(cobra.ExactArgs(1)),
		ValidArgsFunction: first(f.complete(env, bucketKind)),
		RunE: f.bucket(env, true, func(b r2.Contents, name, key string, out output) error {
			o, body, err := b.Get(key, nil, nil)
			if err != nil {
				return err
			}
			if o == nil {
				return fmt.Errorf("no object %q in %s\n  eddy r2 object list %[2]s shows them", key, name)
			}
			defer body.Close()
			if pipe {
				_, err := io.Copy(out.w, body)
				return err
			}
			if file == "" {
				file = path.Base(key)
			}
			to, err := os.Create(file)
			if err != nil {
				return fmt.Errorf("write %s: %w", file, err)
			}
			_, err = io.Copy(to, body)
			if err := errors.Join(err, to.Close()); err != nil {
				return fmt.Errorf("write %s: %w", file, err)
			}
			return out.done(o, "Wrote %s (%d byte%s)", file, o.Size, plural(int(o.Size)))
		}),
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "`file` to write")
	cmd.Flags().BoolVarP(&pipe, "pipe", "p", false, "write to standard output")
	return cmd
}

// httpFlags are the flags of put that become HTTP metadata. Each has the name under which the platform keeps it.
var httpFlags = []struct{ flag, field, header string }{
	{"content-type", "contentType", "Content-Type"}, {"content-disposition", "contentDisposition",
		"Content-Disposition"},
	{"content-encoding", "contentEncoding", "Content-Encoding"},
	{"content-language", "contentLanguage", "Content-Language"},
	{"cache-control", "cacheControl", "Cache-Control"},
}

func r2Put(env OS, f *stateFlags) *cobra.Command {
	var file, expires string
	var pipe bool
	values := make([]string, len(httpFlags))
	cmd := &cobra.Command{
		Use: "put BUCKET/KEY", Short: "Store an object from --file or, with --pipe, from standard input",
		Args:              form(cobra.ExactArgs(1)),
		ValidArgsFunction: first(f.complete(env, bucketKind)),
		RunE: f.bucket(env, true, func(b r2.Contents, name, key string, out output) error {
			if (file == "") == !pipe {
				return usage("say what to store: either --file FILE or --pipe, which reads standard input")
			}
			data, err := content(env, nil, file)
			if err != nil {
				return err
			}
			meta := map[string]any{}
			for i, h := range httpFlags {
				if values[i] != "" {
					meta[h.field] = values[i]
				}
			}
			if expires != "" {
				at, err := parseExpires(expires)
				if err != nil {
					return err
				}
				meta["cacheExpiry"] = at.UnixMilli()
			}
			http, err := json.Marshal(meta)
			if err != nil {
				return err
			}
			o, err := b.Put(key, data, r2.PutOptions{HTTP: http})
			if err != nil {
				return err
			}
			return out.done(o, "Stored %s in %s (%d byte%s)", key, name, len(data), plural(len(data)))
		}),
	}
	fl := cmd.Flags()
	fl.StringVarP(&file, "file", "f", "", "`file` to store")
	fl.BoolVarP(&pipe, "pipe", "p", false, "read standard input")
	for i, h := range httpFlags {
		fl.StringVar(&values[i], h.flag, "", "`"+h.header+"` of the object")
	}
	fl.StringVar(&expires, "expires", "", "`time` at which caches let go of it, as 2026-04-01T12:00:00Z")
	fl.BoolP("force", "y", false, "taken as wrangler's; nothing is asked")
	fl.StringP("storage-class", "s", "", "taken as wrangler's; local objects have one class")
	return cmd
}

func parseExpires(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.RFC1123, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--expires %q: expected a time like 2026-04-01T12:00:00Z", s)
}

func r2Delete(env OS, f *stateFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete BUCKET/KEY", Short: "Delete an object", Args: form(cobra.ExactArgs(1)),
		ValidArgsFunction: first(f.complete(env, bucketKind)),
		RunE: f.bucket(env, true, func(b r2.Contents, name, key string, out output) error {
			if err := b.Delete([]string{key}); err != nil {
				return err
			}
			return out.done(map[string]string{"bucket": name, "key": key}, "Deleted %s of %s", key, name)
		}),
	}
	cmd.Flags().BoolP("force", "y", false, "taken as wrangler's; nothing is asked")
	return cmd
}

func r2List(env OS, f *stateFlags) *cobra.Command {
	var prefix string
	cmd := &cobra.Command{
		Use: "list BUCKET", Short: "List the objects of a bucket", Args: form(cobra.ExactArgs(1)),
		ValidArgsFunction: first(f.complete(env, bucketKind)),
		RunE: f.bucket(env, false, func(b r2.Contents, name, _ string, out output) error {
			all := []*r2.StoredObject{}
			var rows [][]string
			for o := (r2.ListOptions{Prefix: prefix}); ; {
				page, err := b.List(o)
				if err != nil {
					return err
				}
				for _, x := range page.Objects {
					all = append(all, x)
					rows = append(rows, []string{x.Key, fmt.Sprint(x.Size), when(time.UnixMilli(x.Uploaded)), x.ETag})
				}
				if o.Cursor = page.Cursor; !page.Truncated {
					return out.value(all, func() error {
						return out.list("No objects in "+name, []string{"KEY", "BYTES", "UPLOADED (UTC)", "ETAG"}, rows)
					})
				}
			}
		}),
	}
	cmd.Flags().StringVar(&prefix, "prefix", "", "only keys that begin with this `text`")
	return cmd
}

func r2Buckets(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the buckets that the configuration binds", Args: form(cobra.NoArgs),
		RunE: f.stored(env, func(cfg *wrangler.Config, _ statedir.Dir, _ []string, out output) error {
			type row struct {
				Name    string `json:"name"`
				Binding string `json:"binding"`
			}
			list := []row{}
			var rows [][]string
			for _, b := range cfg.R2Buckets {
				list = append(list, row{b.BucketName, b.Binding})
				rows = append(rows, []string{b.BucketName, b.Binding})
			}
			return out.value(list, func() error {
				return out.list(cfg.Path+" binds no R2 bucket",
					[]string{"BUCKET", "BINDING"}, rows)
			})
		}),
	}
}
