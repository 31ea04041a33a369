package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
	"eddy/runtime/running"
	"eddy/wrangler"
)

// inNamespace is run for verbs about objects. It accepts the class alone as --namespace, and answers a missing object
// with the objects that exist.
func (f *stateFlags) inNamespace(env OS, namespace *string, do func(context.Context, *control.Client, []string,
	output) error) func(*cobra.Command, []string) error {
	return f.run(env, func(ctx context.Context, c *control.Client, args []string, out output) error {
		all, err := c.Objects(ctx, "")
		if err != nil {
			return err
		}
		if *namespace != "" {
			if *namespace, err = wholeNamespace(*namespace, f.namespaces(env, all)); err != nil {
				return err
			}
		}
		err = do(ctx, c, args, out)
		var refused *running.Refusal
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			if names := objectNames(all, *namespace); len(names) > 0 {
				return fmt.Errorf("%w\n  there are: %s", err, strings.Join(firstFew(names, 10), ", "))
			}
			return fmt.Errorf("%w\n  there are no objects at all", err)
		}
		return err
	})
}

// namespaces lists the namespaces that have objects and those of the configuration.
func (f *stateFlags) namespaces(env OS, all []control.Object) []string {
	var names []string
	for _, o := range all {
		names = append(names, o.Namespace)
	}
	if cfg, err := f.project(env); err == nil {
		for _, c := range cfg.Classes {
			names = append(names, cfg.Name+"-"+c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// wholeNamespace finds a namespace by its name or by its class.
func wholeNamespace(name string, all []string) (string, error) {
	if slices.Contains(all, name) {
		return name, nil
	}
	var found, classes []string
	for _, n := range all {
		if strings.HasSuffix(n, "-"+name) {
			found = append(found, n)
		}
		classes = append(classes, n, n[strings.LastIndexByte(n, '-')+1:])
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", usage("which namespace %q?\n  there are: %s", name, strings.Join(found, ", "))
	case len(all) == 0:
		return "", usage("there is no namespace %q, nor any other", name)
	}
	text := fmt.Sprintf("there is no namespace %q\n  there are: %s", name, strings.Join(all, ", "))
	if meant := wrangler.DidYouMean(name, classes); meant != "" {
		text += fmt.Sprintf("\n  did you mean %s?", meant)
	}
	return "", usage("%s", text)
}

// objectNames lists names for the objects of a namespace, or of all if namespace is "". An object without a name is
// listed by the beginning of its id.
func objectNames(all []control.Object, namespace string) (names []string) {
	for _, o := range all {
		switch {
		case namespace != "" && o.Namespace != namespace:
		case o.Name != "":
			names = append(names, o.Name)
		default:
			names = append(names, o.ID[:min(len(o.ID), 12)])
		}
	}
	return names
}

func firstFew(names []string, n int) []string {
	if len(names) <= n {
		return names
	}
	return append(slices.Clone(names[:n]), fmt.Sprintf("and %d more", len(names)-n))
}

// completeNamespaces offers the namespaces to a shell.
func (f *stateFlags) completeNamespaces(env OS) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return f.namespaces(env, f.objects(cmd.Context(), env)), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeObjects offers the objects to a shell: their names, or the beginnings of their ids.
func (f *stateFlags) completeObjects(env OS, namespace *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		all, in := f.objects(cmd.Context(), env), *namespace
		if whole, err := wholeNamespace(in, f.namespaces(env, all)); err == nil {
			in = whole
		}
		return objectNames(all, in), cobra.ShellCompDirectiveNoFileComp
	}
}

// objects lists all objects for a completion. There are none if they cannot be read.
func (f *stateFlags) objects(ctx context.Context, env OS) []control.Object {
	c, release, err := f.connect(ctx, env)
	if err != nil {
		return nil
	}
	all, err := c.Objects(ctx, "")
	if errors.Join(err, release()) != nil {
		return nil
	}
	return all
}
