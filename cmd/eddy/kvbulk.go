package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/kv"
)

// bulkPair is one entry in the file of kv bulk put, in the form of the platform's API.
type bulkPair struct {
	Key        *string         `json:"key"`
	Value      *string         `json:"value"`
	Expiration int64           `json:"expiration"`
	TTL        int64           `json:"expiration_ttl"`
	Metadata   json.RawMessage `json:"metadata"`
	Base64     bool            `json:"base64"`
}

// entry checks a pair; n counts from 1.
func (p bulkPair) entry(n int) (kv.StoredValue, error) {
	if p.Key == nil || p.Value == nil {
		return kv.StoredValue{}, fmt.Errorf("entry %d: expected {\"key\": …, \"value\": …} with two strings", n)
	}
	e := kv.StoredValue{Value: []byte(*p.Value), Metadata: string(p.Metadata)}
	if p.Base64 {
		b, err := base64.StdEncoding.DecodeString(*p.Value)
		if err != nil {
			return e, fmt.Errorf("entry %d (%s): \"base64\" is set and the value is not base64", n, *p.Key)
		}
		e.Value = b
	}
	switch {
	case p.TTL > 0:
		e.Expiration = time.Unix(time.Now().Unix()+min(p.TTL, math.MaxInt64/2), 0)
	case p.Expiration > 0:
		e.Expiration = time.Unix(p.Expiration, 0)
	}
	if err := kv.Check(*p.Key, e); err != nil {
		return e, fmt.Errorf("entry %d: %w", n, err)
	}
	return e, nil
}

// readJSON reads a file of the user as JSON. expected describes the right content for the error.
func readJSON(path, expected string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if err := json.Unmarshal(b, into); err != nil {
		return usage("%s: expected %s", path, expected)
	}
	return nil
}

// bulkNames reads the keys that a file lists: strings, or objects with a name.
func bulkNames(path string) ([]string, error) {
	const expected = `a JSON array of keys: ["one", "two"], or [{ "name": "one" }]`
	var list []json.RawMessage
	if err := readJSON(path, expected, &list); err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, raw := range list {
		var o struct {
			Name *string `json:"name"`
		}
		if json.Unmarshal(raw, &names[i]) == nil {
			continue
		}
		if json.Unmarshal(raw, &o) != nil || o.Name == nil {
			return nil, usage("%s: entry %d: expected %s", path, i+1, expected)
		}
		names[i] = *o.Name
	}
	return names, nil
}

func (v kvVerbs) bulkPut() *cobra.Command {
	var x kvExpiry
	cmd := v.verb("put", "FILE", "Store the entries of a file: [{ \"key\": …, \"value\": … }, …]", 1, 1,
		func(s kv.Namespace, _ string, args []string, out output) error {
			var pairs []bulkPair
			if err := readJSON(args[0], `a JSON array of entries: [{ "key": "a", "value": "1" }]`, &pairs); err != nil {
				return err
			}
			entries := make([]kv.StoredValue, len(pairs))
			for i, p := range pairs {
				e, err := p.entry(i + 1)
				if err != nil {
					return usage("%s: %w", args[0], err)
				}
				if given := x.entry(e.Value); e.Expiration.IsZero() {
					e.Expiration = given.Expiration
				}
				if e.Metadata == "" {
					e.Metadata = x.metadata
				}
				entries[i] = e
			}
			for i, p := range pairs {
				if err := s.Put(*p.Key, entries[i]); err != nil {
					return fmt.Errorf("after %s: %w", count(i, "key"), err)
				}
			}
			return out.done(map[string]int{"count": len(pairs)}, "Stored %s", count(len(pairs), "key"))
		})
	x.add(cmd)
	return cmd
}

func (v kvVerbs) bulkGet() *cobra.Command {
	return v.verb("get", "FILE", "Print the values of the keys that a file names, as JSON", 1, 1,
		func(s kv.Namespace, _ string, args []string, out output) error {
			names, err := bulkNames(args[0])
			if err != nil {
				return err
			}
			type value struct {
				Value string `json:"value"`
			}
			found := map[string]*value{}
			for _, name := range names {
				e, ok, err := s.Get(name)
				if err != nil {
					return err
				}
				if found[name] = nil; ok {
					found[name] = &value{string(e.Value)}
				}
			}
			out.json = true
			return out.value(found, nil)
		})
}

func (v kvVerbs) bulkDelete() *cobra.Command {
	var force bool
	cmd := v.verb("delete", "FILE", "Delete the keys that a file names", 1, 1,
		func(s kv.Namespace, namespace string, args []string, out output) error {
			names, err := bulkNames(args[0])
			if err != nil {
				return err
			}
			if err := confirm(v.env, force, "delete keys", count(len(names), "key")+" of "+namespace,
				namespace); err != nil {
				return err
			}
			for i, name := range names {
				if err := s.Delete(name); err != nil {
					return fmt.Errorf("after %s: %w", count(i, "key"), err)
				}
			}
			return out.done(map[string]int{"count": len(names)}, "Deleted %s", count(len(names), "key"))
		})
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}
