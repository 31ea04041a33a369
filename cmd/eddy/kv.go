package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/kv"
	"eddy/runtime/clock"
	"eddy/wrangler"
)

// newKV makes the verbs for KV namespaces. They open the namespace's files, which a running session may have open, too.
func newKV(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("kv", "See and change the KV namespaces of a configuration, while a session runs or not")
	f.add(cmd)
	cmd.AddCommand(kvList(env, f), kvGet(env, f), kvPut(env, f), kvDelete(env, f))
	return cmd
}

// namespace makes the RunE of a verb whose first argument is a namespace.
func (f *stateFlags) namespace(env OS, do func(s *kv.Store, args []string, out output) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, v3, err := f.bindings(env)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		id, err := findNamespace(cfg, args[0])
		if err != nil {
			return &exitError{exitUsage, err}
		}
		index, values := kv.Paths(v3, id)
		s := kv.New(kv.Options{Index: index, Values: values, Clock: clock.Real{}})
		err = do(s, args, output{w: cmd.OutOrStdout(), json: f.json})
		return asFailure(errors.Join(err, s.Close()))
	}
}

// findNamespace finds a namespace's id by its binding or itself.
func findNamespace(cfg *wrangler.Config, name string) (string, error) {
	var have []string
	for _, b := range cfg.KVNamespaces {
		if name == b.Binding || name == b.ID {
			return b.ID, nil
		}
		have = append(have, b.Binding)
	}
	if len(have) == 0 {
		return "", fmt.Errorf("%s binds no KV namespace: write kv_namespaces", cfg.Path)
	}
	return "", fmt.Errorf("%s binds no KV namespace %q, but %s", cfg.Path, name, strings.Join(have, ", "))
}

// kvKey is a key in --json, in the form of a Worker's list().
type kvKey struct {
	Name       string `json:"name"`
	Expiration int64  `json:"expiration,omitempty"`
	Metadata   string `json:"metadata,omitempty"`
}

func kvList(env OS, f *stateFlags) *cobra.Command {
	var prefix string
	cmd := &cobra.Command{
		Use: "list NAMESPACE", Short: "List the keys of a namespace", Args: cobra.ExactArgs(1),
		RunE: f.namespace(env, func(s *kv.Store, _ []string, out output) error {
			keys := []kvKey{}
			var rows [][]string
			for cursor := ""; ; {
				p, err := s.List(prefix, cursor, 1000)
				if err != nil {
					return err
				}
				for _, k := range p.Keys {
					key := kvKey{Name: k.Name, Metadata: k.Metadata}
					until := (*time.Time)(nil)
					if !k.Expiration.IsZero() {
						key.Expiration, until = k.Expiration.Unix(), &k.Expiration
					}
					keys = append(keys, key)
					rows = append(rows, []string{k.Name, whenever(until), dash(k.Metadata)})
				}
				if cursor = p.Cursor; cursor == "" {
					return out.value(keys, func() error { return out.table([]string{"KEY", "EXPIRES", "METADATA"}, rows) })
				}
			}
		}),
	}
	cmd.Flags().StringVar(&prefix, "prefix", "", "only keys that begin with this `text`")
	return cmd
}

func kvGet(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "get NAMESPACE KEY", Short: "Print the value of a key, as it is", Args: cobra.ExactArgs(2),
		RunE: f.namespace(env, func(s *kv.Store, args []string, out output) error {
			e, ok, err := s.Get(args[1])
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("no key %q in %s", args[1], args[0])
			}
			return out.value(string(e.Value), func() error {
				_, err := out.w.Write(e.Value)
				return err
			})
		}),
	}
}

func kvPut(env OS, f *stateFlags) *cobra.Command {
	var path, metadata string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use: "put NAMESPACE KEY [VALUE]", Short: "Store a value, given as it is or in a file", Args: cobra.RangeArgs(2, 3),
		RunE: f.namespace(env, func(s *kv.Store, args []string, out output) error {
			if (len(args) == 3) == (path != "") {
				return &exitError{exitUsage, errors.New("say what to store: either VALUE or --path FILE")}
			}
			e := kv.Entry{Metadata: metadata}
			if ttl > 0 {
				e.Expiration = time.Now().Add(ttl).Truncate(time.Second)
			}
			if path != "" {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				e.Value = b
			} else {
				e.Value = []byte(args[2])
			}
			if err := kv.Check(args[1], e); err != nil {
				return &exitError{exitUsage, err}
			}
			if err := s.Put(args[1], e); err != nil {
				return err
			}
			return out.done(kvKey{Name: args[1], Metadata: metadata}, "Stored %s (%d bytes)", args[1], len(e.Value))
		}),
	}
	cmd.Flags().StringVar(&path, "path", "", "`file` with the value")
	cmd.Flags().StringVar(&metadata, "metadata", "", "`JSON` to keep beside the value")
	cmd.Flags().DurationVar(&ttl, "ttl", 0, "how long to keep it, e.g. 1h")
	return cmd
}

func kvDelete(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAMESPACE KEY", Short: "Delete a key", Args: cobra.ExactArgs(2),
		RunE: f.namespace(env, func(s *kv.Store, args []string, out output) error {
			if err := s.Delete(args[1]); err != nil {
				return err
			}
			return out.done(kvKey{Name: args[1]}, "Deleted %s", args[1])
		}),
	}
}
