package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/bindings/secretsstore"
	"eddy/runtime/clock"
	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// newSecretsStore makes the verbs for the secrets of stores, in wrangler's form. They open the store's files, which a
// running session may have open as well: what they change, env.SECRET.get() sees at once.
func newSecretsStore(env OS) *cobra.Command {
	f := &stateFlags{}
	cmd := group("secrets-store", "Make and see the secrets of secrets stores, while a session runs or not")
	f.add(cmd)
	f.addCluster(cmd)
	v := secretVerbs{env, f}
	secret := group("secret", "The secrets of one store; STORE may be left out when the configuration names only one")
	secret.AddCommand(v.list(), v.get(), v.create(), v.update(), v.duplicate(), v.delete())
	cmd.AddCommand(secret)
	return finish(env, f, cmd)
}

// secretVerbs makes the verbs.
type secretVerbs struct {
	env OS
	f   *stateFlags
}

// verb makes a command on a store.
func (v secretVerbs) verb(use, about string, do func(s *secretsstore.Store, out output) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " [STORE]", Short: about, Args: form(cobra.MaximumNArgs(1)),
		ValidArgsFunction: first(v.complete),
		RunE: v.f.opened(v.env, func(ctx context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
			out output) error {
			id, err := storeID(cfg, args)
			if err != nil {
				return err
			}
			way, end, err := v.f.way(ctx, objectstore.Name{Kind: secretsstore.Kind, ID: id})
			if err != nil {
				return err
			}
			defer end()
			s := secretsstore.New(secretsstore.Options{State: state, ID: id, Clock: clock.Real{}, Way: way})
			return errors.Join(do(s, out), s.Close())
		}),
	}
}

// storeID is the store that an argument names, or the only one of the configuration. A store that the configuration
// does not name is taken too: another Worker on the state directory may bind it.
func storeID(cfg *wrangler.Config, args []string) (string, error) {
	all := storeIDs(cfg)
	switch {
	case len(args) == 1:
		return args[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", usage("%s binds no secret of a store\n  add one to secrets_store_secrets, or name the STORE",
			cfg.Path)
	}
	return "", usage("which store?\n  there are: %s", strings.Join(all, ", "))
}

func storeIDs(cfg *wrangler.Config) []string {
	var all []string
	for _, b := range cfg.SecretsStore {
		all = append(all, b.StoreID)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (v secretVerbs) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, err := v.f.project(v.env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return storeIDs(cfg), cobra.ShellCompDirectiveNoFileComp
}

// taken defines flags of wrangler that change nothing here.
func taken(cmd *cobra.Command, names ...string) *cobra.Command {
	for _, name := range names {
		cmd.Flags().String(name, "", "taken as wrangler's; it changes nothing here")
		cmd.Flags().Lookup(name).Hidden = true
	}
	return cmd
}

func (v secretVerbs) list() *cobra.Command {
	return taken(v.verb("list", "List the secrets of a store", func(s *secretsstore.Store, out output) error {
		list, err := s.Secrets()
		if err != nil {
			return err
		}
		rows := make([][]string, len(list))
		for i, one := range list {
			rows[i] = []string{one.Name, dash(one.ID)}
		}
		return out.value(append([]secretsstore.Secret{}, list...), func() error {
			return out.list("There are no secrets", []string{"NAME", "ID"}, rows)
		})
	}), "page", "per-page")
}

// which are the flags that name a secret.
type which struct{ id, name string }

func (w *which) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.id, "secret-id", "", "`id` of the secret, as list shows it")
	cmd.Flags().StringVar(&w.name, "name", "", "`name` of the secret, instead of its id")
}

// find is the secret that the flags name.
func (w *which) find(s *secretsstore.Store) (secretsstore.Secret, error) {
	if w.id == "" && w.name == "" {
		return secretsstore.Secret{}, usage("which secret?\n  give --name or --secret-id")
	}
	list, err := s.Secrets()
	if err != nil {
		return secretsstore.Secret{}, err
	}
	var names []string
	for _, one := range list {
		if w.id != "" && one.ID == w.id || w.id == "" && one.Name == w.name {
			return one, nil
		}
		names = append(names, one.Name)
	}
	text := "no secret " + w.name + w.id + " in the store"
	if len(names) > 0 {
		text += "\n  there are: " + strings.Join(names, ", ")
	}
	return secretsstore.Secret{}, errors.New(text)
}

func (v secretVerbs) get() *cobra.Command {
	var w which
	cmd := v.verb("get", "Show a secret's name and id, never its value", func(s *secretsstore.Store, out output) error {
		one, err := w.find(s)
		if err != nil {
			return err
		}
		return out.value(one, func() error {
			return out.list("", []string{"NAME", "ID"}, [][]string{{one.Name, dash(one.ID)}})
		})
	})
	w.add(cmd)
	return cmd
}

// valueOf is the value of --value, else standard input without the line's end.
func (v secretVerbs) valueOf(cmd *cobra.Command, value string) (string, error) {
	if cmd.Flags().Changed("value") {
		return value, nil
	}
	b, err := content(v.env, nil, "")
	return strings.TrimRight(string(b), "\r\n"), err
}

const valueUsage = "the secret's `value` (default standard input)"

func (v secretVerbs) create() *cobra.Command {
	var name, value string
	var cmd *cobra.Command
	cmd = v.verb("create", "Store a secret", func(s *secretsstore.Store, out output) error {
		if name == "" {
			return usage("give the secret's --name")
		}
		text, err := v.valueOf(cmd, value)
		if err != nil {
			return err
		}
		id, err := s.Create(name, text)
		if err != nil {
			return err
		}
		return out.done(secretsstore.Secret{Name: name, ID: id}, "Created %s (id %s)", name, id)
	})
	cmd.Flags().StringVar(&name, "name", "", "`name` of the secret")
	cmd.Flags().StringVar(&value, "value", "", valueUsage)
	return taken(cmd, "scopes", "comment")
}

func (v secretVerbs) update() *cobra.Command {
	var w which
	var value string
	var cmd *cobra.Command
	cmd = v.verb("update", "Give a secret another value", func(s *secretsstore.Store, out output) error {
		one, err := w.find(s)
		if err != nil {
			return err
		}
		text, err := v.valueOf(cmd, value)
		if err != nil {
			return err
		}
		if one.ID == "" {
			return fmt.Errorf("%s has no id; create it anew", one.Name)
		}
		return errors.Join(s.Update(one.ID, text), out.done(one, "Updated %s", one.Name))
	})
	w.add(cmd)
	cmd.Flags().StringVar(&value, "value", "", valueUsage)
	return taken(cmd, "scopes", "comment")
}

func (v secretVerbs) duplicate() *cobra.Command {
	var id, name string
	cmd := v.verb("duplicate", "Store a secret's value under another name too",
		func(s *secretsstore.Store, out output) error {
			if id == "" || name == "" {
				return usage("give --secret-id of the secret and the new --name")
			}
			made, err := s.Duplicate(id, name)
			if err != nil {
				return err
			}
			return out.done(secretsstore.Secret{Name: name, ID: made}, "Created %s (id %s)", name, made)
		})
	cmd.Flags().StringVar(&id, "secret-id", "", "`id` of the secret, as list shows it")
	cmd.Flags().StringVar(&name, "name", "", "`name` of the new secret")
	return taken(cmd, "scopes", "comment")
}

func (v secretVerbs) delete() *cobra.Command {
	var w which
	cmd := v.verb("delete", "Delete a secret", func(s *secretsstore.Store, out output) error {
		one, err := w.find(s)
		if err != nil {
			return err
		}
		if err := s.Remove(one.Name); err != nil {
			return err
		}
		return out.done(one, "Deleted %s", one.Name)
	})
	w.add(cmd)
	return cmd
}
