package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newKV makes the verbs for KV namespaces, in two forms: wrangler's, kv key put KEY VALUE --binding NAMESPACE, and a
// short one, kv put NAMESPACE KEY VALUE.
func newKV(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("kv", "See and change the KV namespaces of a configuration, while a session runs or not")
	f.add(cmd)
	f.addCluster(cmd)
	short := kvVerbs{env: env, f: f}
	cmd.AddCommand(short.list(), short.get(), short.put(), short.delete())
	long := kvVerbs{env: env, f: f, which: &kvNamespace{}}
	key := group("key", "The same verbs in wrangler's form, with --binding or --namespace-id")
	listed := long
	listed.wranglers = true
	key.AddCommand(listed.list(), long.get(), long.put(), long.delete())
	bulk := group("bulk", "Put, get and delete many keys, named in a JSON file")
	bulk.AddCommand(long.bulkPut(), long.bulkGet(), long.bulkDelete())
	for _, g := range []*cobra.Command{key, bulk} {
		long.which.add(g, f.complete(env, namespaceKind))
	}
	namespace := group("namespace", "See the KV namespaces of the configuration")
	namespace.AddCommand(append(elsewhereBelow("kv namespace"), kvNamespaces(env, f))...)
	cmd.AddCommand(key, bulk, namespace)
	return finish(env, f, cmd)
}

// kvNamespace are the flags that name a namespace.
type kvNamespace struct{ binding, id string }

func (n *kvNamespace) add(cmd *cobra.Command, complete cobra.CompletionFunc) {
	fl := cmd.PersistentFlags()
	fl.StringVar(&n.binding, "binding", "", "`name` of the binding (default the only one)")
	fl.StringVar(&n.id, "namespace-id", "", "`id` of the namespace")
	for _, name := range []string{"binding", "namespace-id"} {
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			panic(err) // a flag is defined twice: a bug of eddy
		}
	}
}

// kvVerbs makes the verbs of one of the two forms. which is nil in the form whose first argument is the namespace.
type kvVerbs struct {
	env   OS
	f     *stateFlags
	which *kvNamespace
	// wranglers says that lists are printed as wrangler prints them, for the scripts that read them.
	wranglers bool
}

// verb makes a command. use names the arguments that follow the namespace; there must be least to most of them.
func (v kvVerbs) verb(use, args, about string, least, most int,
	do func(s kv.Namespace, namespace string, args []string, out output) error) *cobra.Command {
	cmd := &cobra.Command{Short: about}
	if v.which == nil {
		use, least, most = use+" NAMESPACE", least+1, most+1
		cmd.ValidArgsFunction = first(v.f.complete(v.env, namespaceKind))
	}
	if cmd.Use = use; args != "" {
		cmd.Use += " " + args
	}
	cmd.Args = form(cobra.RangeArgs(least, most))
	cmd.RunE = v.f.opened(v.env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
		out output) error {
		name := ""
		if v.which == nil {
			name, args = args[0], args[1:]
		} else if name = v.which.id; name == "" {
			name = v.which.binding
		}
		i, err := namespaceKind.choose(cfg, name)
		if err != nil {
			return err
		}
		b := cfg.KVNamespaces[i]
		if way, end, err := v.f.way(ctx, objectstore.Name{Kind: "kv", ID: b.ID}); err != nil || way != nil {
			if err == nil {
				defer end()
				err = do(kv.AwayNamespace{Way: way}, b.Binding, args, out)
			}
			return err
		}
		index, values := kv.Paths(state, b.ID)
		s := kv.New(kv.Options{Index: index, Values: values, Clock: clock.Real{}})
		return errors.Join(do(s, b.Binding, args, out), s.Close())
	})
	return cmd
}

// kvKey is a key as --json prints it: the form of list() in a Worker.
type kvKey struct {
	Name       string          `json:"name"`
	Expiration int64           `json:"expiration,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
}

func (v kvVerbs) list() *cobra.Command {
	var prefix string
	cmd := v.verb("list", "", "List the keys of a namespace", 0, 0,
		func(s kv.Namespace, _ string, _ []string, out output) error {
			keys := []kvKey{}
			var rows [][]string
			for cursor := ""; ; {
				p, err := s.List(prefix, cursor, 1000)
				if err != nil {
					return err
				}
				for _, k := range p.Keys {
					key := kvKey{Name: k.Name, Metadata: json.RawMessage(k.Metadata)}
					until := (*time.Time)(nil)
					if !k.Expiration.IsZero() {
						key.Expiration, until = k.Expiration.Unix(), &k.Expiration
					}
					keys = append(keys, key)
					rows = append(rows, []string{k.Name, whenever(until), dash(k.Metadata)})
				}
				if cursor = p.Cursor; cursor == "" && v.wranglers {
					return out.encode(keys, "  ")
				}
				if cursor == "" {
					return out.value(keys, func() error {
						return out.list("There are no keys",
							[]string{"KEY", "EXPIRES (UTC)", "METADATA"}, rows)
					})
				}
			}
		})
	cmd.Flags().StringVar(&prefix, "prefix", "", "only keys that begin with this `text`")
	return cmd
}

func (v kvVerbs) get() *cobra.Command {
	cmd := v.verb("get", "KEY", "Print the value of a key, as it is", 1, 1,
		func(s kv.Namespace, namespace string, args []string, out output) error {
			e, ok, err := s.Get(args[0])
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("no key %q in %s\n  eddy kv list %[2]s shows them", args[0], namespace)
			}
			return out.value(string(e.Value), func() error {
				_, err := out.w.Write(e.Value)
				return err
			})
		})
	cmd.Flags().Bool("text", false, "taken as wrangler's; the value is printed as it is")
	return cmd
}

// kvExpiry are the flags that say when an entry expires.
type kvExpiry struct {
	ttl        duration
	expiration int64
	metadata   string
}

func (x *kvExpiry) add(cmd *cobra.Command) {
	cmd.Flags().Var(&x.ttl, "ttl", "how long to keep it: 1h, 30d; a number is seconds")
	cmd.Flags().Int64Var(&x.expiration, "expiration", 0, "`second` since 1970 at which it goes")
	cmd.Flags().StringVar(&x.metadata, "metadata", "", "`JSON` to keep beside the value")
}

func (x *kvExpiry) entry(value []byte) kv.StoredValue {
	e := kv.StoredValue{Value: value, Metadata: x.metadata}
	switch {
	case x.ttl.Duration > 0:
		e.Expiration = time.Now().Add(x.ttl.Duration).Truncate(time.Second)
	case x.expiration > 0:
		e.Expiration = time.Unix(x.expiration, 0)
	}
	return e
}

func (v kvVerbs) put() *cobra.Command {
	var path string
	var x kvExpiry
	cmd := v.verb("put", "KEY [VALUE]", "Store a value, given as it is, in a file, or on standard input", 1, 2,
		func(s kv.Namespace, _ string, args []string, out output) error {
			var arg *string
			if len(args) == 2 {
				arg = &args[1]
			}
			value, err := content(v.env, arg, path)
			if err != nil {
				return err
			}
			e := x.entry(value)
			if err := kv.Check(args[0], e); err != nil {
				return &exitError{exitUsage, err}
			}
			if err := s.Put(args[0], e); err != nil {
				return err
			}
			return out.done(kvKey{Name: args[0], Metadata: json.RawMessage(x.metadata)}, "Stored %s (%d byte%s)",
				args[0], len(e.Value), plural(len(e.Value)))
		})
	cmd.Flags().StringVar(&path, "path", "", "`file` with the value")
	x.add(cmd)
	return cmd
}

func (v kvVerbs) delete() *cobra.Command {
	return v.verb("delete", "KEY", "Delete a key", 1, 1,
		func(s kv.Namespace, _ string, args []string, out output) error {
			if err := s.Delete(args[0]); err != nil {
				return err
			}
			return out.done(kvKey{Name: args[0]}, "Deleted %s", args[0])
		})
}

func kvNamespaces(env OS, f *stateFlags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the namespaces that the configuration binds", Args: form(cobra.NoArgs),
		RunE: f.opened(env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, _ []string,
			out output) error {
			kept, err := f.keptStores(ctx)
			if err != nil {
				return err
			}
			type row struct {
				Binding string `json:"binding"`
				ID      string `json:"id"`
				Stored  bool   `json:"stored"`
			}
			list := []row{}
			var rows [][]string
			for _, b := range cfg.KVNamespaces {
				index, _ := kv.Paths(state, b.ID)
				_, err := os.Stat(index)
				has := err == nil
				if f.cluster != "" {
					_, has = kept.find(objectstore.Name{Kind: "kv", ID: b.ID})
				}
				list = append(list, row{b.Binding, b.ID, has})
				rows = append(rows, []string{b.Binding, b.ID, yesNo(has)})
			}
			return out.value(list, func() error {
				return out.list(cfg.Path+" binds no KV namespace", []string{"BINDING", "ID", "HAS DATA"}, rows)
			})
		}),
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
