package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"eddy/queues/queuejs"
	"eddy/runtime/testrun"
)

func newTypes(env OS) *cobra.Command {
	test := false
	cmd := &cobra.Command{
		Use: "types [FILE]", Short: "Write the TypeScript declarations of modules that eddy brings",
		Long: `Write the TypeScript declarations of ` + queuejs.DOQueueModule + `, which is built in and needs no
package, to do-queue.d.ts or the file given. With --test write those of ` + testrun.EddyTestModule + `, which tests
have, to eddy-test.d.ts. tsc and editors find it among the files of the project. - prints it.

What the platform itself has is declared by wrangler types or @cloudflare/workers-types.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, types := "do-queue.d.ts", queuejs.DOQueueTypes
			if test {
				file, types = "eddy-test.d.ts", testrun.EddyTestTypes
			}
			if len(args) > 0 {
				file = args[0]
			}
			if file == "-" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), types)
				return err
			}
			dir, err := env.Getwd()
			if err != nil {
				return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
			}
			path := file
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if err := writeTypes(path, types); err != nil {
				return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s\n", file)
			return err
		},
	}
	cmd.Flags().BoolVar(&test, "test", false, "the declarations of "+testrun.EddyTestModule)
	return cmd
}

// writeTypes writes the declarations. It replaces a file only if an earlier version of eddy wrote it, which the first
// line shows.
func writeTypes(path, types string) error {
	first, _, _ := strings.Cut(types, "\n")
	was, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !strings.HasPrefix(string(was), first):
		return fmt.Errorf("%s exists and was not written by eddy types; name another file", path)
	}
	return os.WriteFile(path, []byte(types), 0o644)
}
