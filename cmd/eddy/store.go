package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/statedir"
	"eddy/wrangler"
)

// resource is one KV namespace, D1 database, R2 bucket or pipeline of a configuration, with all the names it goes by.
type resource struct {
	binding, id, name string
}

// called is the name that messages show.
func (r resource) called() string {
	for _, s := range []string{r.name, r.id} {
		if s != "" && s != r.binding {
			return s + " (" + r.binding + ")"
		}
	}
	return r.binding
}

// kindOf names a kind of resource: what it is called, and its key in the configuration.
type kindOf struct{ what, key string }

var (
	namespaceKind = kindOf{"KV namespace", "kv_namespaces"}
	databaseKind  = kindOf{"D1 database", "d1_databases"}
	bucketKind    = kindOf{"R2 bucket", "r2_buckets"}
	pipelineKind  = kindOf{"pipeline", "pipelines"}
)

func (k kindOf) of(cfg *wrangler.Config) (out []resource) {
	switch k {
	case namespaceKind:
		for _, b := range cfg.KVNamespaces {
			out = append(out, resource{b.Binding, b.ID, ""})
		}
	case databaseKind:
		for _, b := range cfg.D1Databases {
			out = append(out, resource{b.Binding, b.DatabaseID, b.DatabaseName})
		}
	case bucketKind:
		for _, b := range cfg.R2Buckets {
			out = append(out, resource{b.Binding, b.BucketName, b.BucketName})
		}
	case pipelineKind:
		for _, b := range cfg.Unserved {
			if string(b.Kind) == k.key {
				out = append(out, resource{b.Name, b.Resource, b.Resource})
			}
		}
	}
	return out
}

// choose finds a resource by its binding, id or name and returns its index. Without a name there must be only one
// resource.
func (k kindOf) choose(cfg *wrangler.Config, name string) (int, error) {
	all := k.of(cfg)
	var have, words []string
	for i, r := range all {
		if name == r.binding || name == r.id || name == r.name && name != "" {
			return i, nil
		}
		have = append(have, r.called())
		words = append(words, r.binding, r.name, r.id)
	}
	switch {
	case len(all) == 0:
		return 0, usage("%s binds no %s\n  add one to %s", cfg.Path, k.what, k.key)
	case name == "" && len(all) == 1:
		return 0, nil
	case name == "":
		return 0, usage("which %s?\n  there are: %s", k.what, strings.Join(have, ", "))
	}
	text := fmt.Sprintf("%s binds no %s %q\n  there are: %s", cfg.Path, k.what, name, strings.Join(have, ", "))
	if meant := wrangler.DidYouMean(name, words); meant != "" {
		text += fmt.Sprintf("\n  did you mean %s?", meant)
	}
	return 0, usage("%s", text)
}

// complete offers the names of the resources to a shell.
func (f *stateFlags) complete(env OS, k kindOf) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		cfg, err := f.project(env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for _, r := range k.of(cfg) {
			if r.name != "" {
				out = append(out, r.name)
			}
			out = append(out, r.binding)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes the first argument only.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return complete(cmd, args, typed)
	}
}

// stored makes the RunE of a verb that opens what a state directory keeps. A running session may have it open as well.
func (f *stateFlags) stored(env OS, do func(cfg *wrangler.Config, state statedir.Dir, args []string,
	out output) error) func(*cobra.Command, []string) error {
	return f.opened(env, func(_ context.Context, cfg *wrangler.Config, state statedir.Dir, args []string,
		out output) error {
		return do(cfg, state, args, out)
	})
}

// form checks arguments as args does. Its error shows the usage of the verb.
func form(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		err := args(cmd, given)
		var said *exitError
		if err == nil || errors.As(err, &said) {
			return err
		}
		what := "too many arguments: " + strings.Join(given, " ")
		if len(given) == 0 {
			what = "something is missing"
		} else if args(cmd, append(append([]string{}, given...), "x")) == nil {
			what = "something is missing behind " + strings.Join(given, " ")
		}
		return usage("%s: %s\n  usage: %s", cmd.CommandPath(), what, cmd.UseLine())
	}
}

// content is what a put stores: an argument, a file, or standard input.
func content(env OS, arg *string, path string) ([]byte, error) {
	switch {
	case arg != nil && path != "":
		return nil, usage("say what to store once: VALUE or a file")
	case arg != nil:
		return []byte(*arg), nil
	case path != "":
		return os.ReadFile(path)
	case isTerminal(env.Stdin):
		return nil, usage("say what to store: VALUE, a file, or standard input")
	}
	b, err := io.ReadAll(env.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return b, nil
}

// environments offers the configuration's environments to a shell, for --env.
func (f *stateFlags) environments(env OS) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		at := *f
		at.env = ""
		cfg, err := at.project(env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return cfg.Environments, cobra.ShellCompDirectiveNoFileComp
	}
}

// sessionURLs offers the addresses of running sessions to a shell, for --url.
func sessionURLs(ctx context.Context, env OS) []string {
	var out []string
	for _, r := range registered(ctx, env) {
		out = append(out, r.URL+"\t"+strings.Join(r.Workers, ", "))
	}
	return out
}
