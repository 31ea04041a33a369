package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"eddy/durableobject/objectjs"
	"eddy/durableobject/storage"
	"eddy/runtime/bindings/d1"
	"eddy/runtime/bindings/r2"
)

// Stored is what a session has stored, as a tree that JSON can have: kv.BINDING.KEY, r2.BINDING.KEY, d1.BINDING.TABLE,
// a list of rows, objects.CLASS.NAME.kv.KEY and .sql.TABLE, queues.QUEUE, a list of bodies. Not on a loop goroutine,
// and with nothing else running in the session.
func (s *Session) Stored(ctx context.Context) (map[string]any, error) {
	all := map[string]any{}
	var errs []error
	add := func(what string, m map[string]any, err error) {
		if errs = append(errs, err); len(m) > 0 {
			all[what] = m
		}
	}
	kv, d1, r2, err := s.stores.stored(s)
	add("kv", kv, err)
	add("d1", d1, nil)
	add("r2", r2, nil)
	objects, err := s.storedObjects(ctx)
	add("objects", objects, err)
	waiting, err := s.storedQueues(ctx)
	add("queues", waiting, err)
	return all, errors.Join(errs...)
}

// MigrateDatabases applies the migrations of the Workers' D1 databases that have a folder of them.
func (s *Session) MigrateDatabases() error {
	for _, cfg := range s.liveConfigs(nil) {
		for _, b := range cfg.D1Databases {
			if _, err := os.Stat(b.MigrationsDir); err != nil {
				continue
			}
			s.stores.mu.Lock()
			db := s.stores.databases[b.DatabaseID]
			s.stores.mu.Unlock()
			if _, err := d1.Migrate(db, b.MigrationsDir, b.MigrationsTable); err != nil {
				return fmt.Errorf("migrations of %s: %w", b.Binding, err)
			}
		}
	}
	return nil
}

// plain is a value as JSON if it is JSON, as text if it is UTF-8, else in base64.
func plain(b []byte) any {
	if json.Valid(b) {
		return json.RawMessage(b)
	}
	if utf8.Valid(b) {
		return string(b)
	}
	return "base64:" + base64.StdEncoding.EncodeToString(b)
}

func (st *stores) stored(s *Session) (kvs, dbs, buckets map[string]any, err error) {
	kvs, dbs, buckets = map[string]any{}, map[string]any{}, map[string]any{}
	var errs []error
	for _, cfg := range s.liveConfigs(nil) {
		for _, b := range cfg.KVNamespaces {
			keys := map[string]any{}
			for cursor := ""; ; {
				page, err := st.namespaces[b.ID].List("", cursor, 1000)
				if err != nil {
					return nil, nil, nil, fmt.Errorf("KV %s: %w", b.Binding, err)
				}
				for _, k := range page.Keys {
					e, ok, err := st.namespaces[b.ID].Get(k.Name)
					if errs = append(errs, err); ok {
						keys[k.Name] = plain(e.Value)
					}
				}
				if cursor = page.Cursor; cursor == "" {
					break
				}
			}
			kvs[b.Binding] = keys
		}
		for _, b := range cfg.D1Databases {
			tables, err := databaseRows(st.databases[b.DatabaseID])
			errs = append(errs, err)
			dbs[b.Binding] = tables
		}
		for _, b := range cfg.R2Buckets {
			keys, err := bucketKeys(st.buckets[b.BucketName])
			errs = append(errs, err)
			buckets[b.Binding] = keys
		}
	}
	return kvs, dbs, buckets, errors.Join(errs...)
}

func databaseRows(db *d1.Database) (map[string]any, error) {
	all := map[string]any{}
	res, err := db.Run(0, []d1.Statement{{SQL: "SELECT name FROM sqlite_master WHERE type = 'table' AND " +
		"name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations' ORDER BY name"}})
	if err != nil {
		return nil, err
	}
	for _, row := range res[0].Rows {
		name, _ := row[0].(string)
		res, err := db.Run(0, []d1.Statement{{SQL: "SELECT * FROM " + quoted(name)}})
		if err != nil {
			return nil, err
		}
		all[name] = rows(res[0].Columns, res[0].Rows)
	}
	return all, nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// rows are objects of columns.
func rows(columns []string, list [][]any) any {
	out := []any{}
	for _, row := range list {
		m := map[string]any{}
		for i, name := range columns {
			m[name] = row[i]
			if b, ok := row[i].([]byte); ok {
				m[name] = plain(b)
			}
		}
		out = append(out, m)
	}
	return out
}

func bucketKeys(bucket *r2.Bucket) (map[string]any, error) {
	keys := map[string]any{}
	var o r2.ListOptions
	for {
		list, err := bucket.List(o)
		if err != nil {
			return nil, err
		}
		for _, x := range list.Objects {
			_, body, err := bucket.Get(x.Key, nil, nil)
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(body)
			if err = errors.Join(err, body.Close()); err != nil {
				return nil, err
			}
			keys[x.Key] = plain(text)
		}
		if o.Cursor = list.Cursor; !list.Truncated {
			return keys, nil
		}
	}
}

func (s *Session) storedObjects(ctx context.Context) (map[string]any, error) {
	all := map[string]any{}
	for _, n := range s.objects.Namespaces(ctx) {
		if !n.Served {
			continue
		}
		list, err := s.objects.List(ctx, n.Key)
		if err != nil {
			return nil, err
		}
		class := map[string]any{}
		for _, info := range list {
			stored, err := s.storedObject(ctx, n.Key, info)
			if err != nil {
				return nil, err
			}
			if len(stored) > 0 {
				name := info.Name
				if name == "" {
					name = info.ID
				}
				class[name] = stored
			}
		}
		if len(class) > 0 {
			all[n.Class] = class
		}
	}
	return all, nil
}

func (s *Session) storedObject(ctx context.Context, key string, info objectjs.ObjectInfo) (map[string]any, error) {
	all := map[string]any{}
	entries, err := s.objects.Storage(ctx, key, info.ID, storage.ListOptions{})
	if err != nil && !errors.Is(err, objectjs.ErrNoObject) {
		return nil, err
	}
	kv := map[string]any{}
	for _, e := range entries {
		text, err := objectjs.RenderValue(e.Value)
		if err != nil {
			text = string(encodeBase64(e.Value))
		}
		kv[e.Key] = plain([]byte(text))
	}
	if len(kv) > 0 {
		all["kv"] = kv
	}
	detail, err := s.objects.Show(ctx, key, info.ID)
	if err != nil {
		return nil, err
	}
	tables := map[string]any{}
	for _, t := range detail.Tables {
		res, err := s.objects.Query(ctx, key, info.ID, storage.Query{SQL: "SELECT * FROM " + quoted(t.Name)})
		if err != nil {
			return nil, err
		}
		tables[t.Name] = rows(res.Columns, res.Rows)
	}
	if len(tables) > 0 {
		all["sql"] = tables
	}
	if !info.Alarm.IsZero() {
		all["alarm"] = true
	}
	return all, nil
}

func encodeBase64(b []byte) []byte { return base64.StdEncoding.AppendEncode([]byte("base64:"), b) }

// storedQueues are the bodies that wait in the queues that the Workers send to.
func (s *Session) storedQueues(ctx context.Context) (map[string]any, error) {
	all := map[string]any{}
	b := s.queues.Broker()
	if b == nil {
		return all, nil
	}
	names := s.queueNames()
	sort.Strings(names)
	for _, name := range slices.Compact(names) {
		list, err := b.Peek(ctx, name, 100_000)
		if err != nil {
			return nil, err
		}
		bodies := []any{}
		for _, m := range list {
			body := any(string(encodeBase64(m.Body)))
			if m.ContentType.String() != "v8" {
				body = plain(m.Body)
			} else if text, err := objectjs.RenderValue(m.Body); err == nil {
				body = plain([]byte(text))
			}
			bodies = append(bodies, body)
		}
		if len(bodies) > 0 {
			all[name] = bodies
		}
	}
	return all, nil
}
