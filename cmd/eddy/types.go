package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"eddy/queues/queuejs"
	"eddy/runtime/testrun"
)

func newTypes(env OS) *cobra.Command {
	doQueue, test := false, false
	f := typesFlags{}
	cmd := &cobra.Command{
		Use: "types [FILE]", Short: "Write TypeScript declarations of env and of the platform",
		Long: `Write declarations of what the configuration binds, and of the platform at its compatibility date, to
` + configurationTypes + ` or the file given, as wrangler types does. Vars are declared by their values, Durable
Objects, services and workflows by the types of the classes that the Workers export; further -c name the Workers beside
the first.

The platform's types come from the workerd that the project has installed with wrangler; without one they are left out.

With --do-queue write those of ` + queuejs.DOQueueModule + `, which is built in and needs no package, to
do-queue.d.ts or the file given, with --test those of ` + testrun.EddyTestModule + `, which tests have, to
eddy-test.d.ts. tsc and editors find them among the files of the project. - prints them.`,
		Example: "  eddy types\n  eddy types -c wrangler.jsonc -c ../orders/wrangler.jsonc --env-interface Bindings\n" +
			"  eddy types --check\n  eddy types --do-queue",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case doQueue && test:
				return usage("--do-queue and --test are two files\n  write one, then the other")
			case doQueue:
				return builtIn(cmd, env, "do-queue.d.ts", queuejs.DOQueueTypes, args)
			case test:
				return builtIn(cmd, env, "eddy-test.d.ts", testrun.EddyTestTypes, args)
			}
			if len(args) > 0 {
				f.path = args[0]
			}
			return f.run(cmd, env)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&doQueue, "do-queue", false, "the declarations of "+queuejs.DOQueueModule)
	cmd.Flags().BoolVar(&test, "test", false, "the declarations of "+testrun.EddyTestModule)
	_ = cmd.MarkFlagFilename("config", "jsonc", "json", "toml")
	_ = cmd.MarkFlagFilename("path", "ts")
	_ = cmd.RegisterFlagCompletionFunc("env", func(cmd *cobra.Command, args []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		at := stateFlags{}
		if len(f.configs) > 0 {
			at.config = f.configs[0]
		}
		return at.environments(env)(cmd, args, typed)
	})
	return cmd
}

// builtIn writes or prints the declarations of a module that eddy brings.
func builtIn(cmd *cobra.Command, env OS, file, types string, args []string) error {
	if len(args) > 0 {
		file = args[0]
	}
	if file == "-" {
		_, err := fmt.Fprint(cmd.OutOrStdout(), types)
		return err
	}
	dir, err := env.Getwd()
	if err == nil {
		err = writeTypes(inDir(dir, file), types)
	}
	if err != nil {
		return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s\n", file)
	return err
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
