package main

import (
	"context"

	"github.com/spf13/cobra"

	"eddy/runtime/control"
)

// objectsBookmarks is eddy objects bookmarks.
func objectsBookmarks(env OS, f *stateFlags, namespace *string) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "bookmarks OBJECT", Short: "List states to which an object can go back, newest first",
		Args: cobra.ExactArgs(1),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			list, err := c.Bookmarks(ctx, *namespace, args[0], limit)
			if err != nil {
				return err
			}
			return out.value(list, func() error {
				rows := make([][]string, len(list))
				for i, b := range list {
					rows[i] = []string{whenever(&b.At), b.Bookmark}
				}
				return out.list("Nothing is remembered", []string{"UNTIL (UTC)", "BOOKMARK"}, rows)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "`how many`")
	return cmd
}

// objectsRestore is eddy objects restore.
func objectsRestore(env OS, f *stateFlags, namespace *string) *cobra.Command {
	return &cobra.Command{
		Use: "restore OBJECT BOOKMARK", Short: "Make an object what it was at a bookmark; one that is live is reset",
		Args: cobra.ExactArgs(2),
		RunE: f.inNamespace(env, namespace, func(ctx context.Context, c *control.Client, args []string,
			out output) error {
			r, err := c.Restore(ctx, *namespace, args[0], args[1])
			if err != nil {
				return err
			}
			return out.done(r, "Restored; to undo it: eddy objects restore %s %s", args[0], r.Undo)
		}),
	}
}
