package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eddy/runtime/declarations"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/report"
)

// projectFiles are those of a new project. NAME in them stands for the Worker's name.
//
//go:embed project
var projectFiles embed.FS

// renamed are files that have another name in a project.
var renamed = map[string]string{"gitignore": ".gitignore"}

func newInit(env OS) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use: "init [DIR]", Short: "Make a new project",
		Long: `Make a project in DIR or here: a Worker in TypeScript with a queue and a Durable Object, and its tests.

It runs with eddy dev and is tested with eddy test, which need nothing else. wrangler deploys it as it is, and vitest
with Cloudflare's integration runs the same tests; npm install brings both. No file that exists is replaced.`,
		Example: "  eddy init shop\n  eddy init --name my-shop", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := env.Getwd()
			if err != nil {
				return err
			}
			shown := "."
			if len(args) > 0 {
				dir, shown = inDir(dir, args[0]), args[0]
			}
			if name == "" {
				name = workerNameOf(filepath.Base(dir))
			} else if name != workerNameOf(name) {
				return usage("--name %q is no name for a Worker\n  write lowercase letters, digits and dashes: "+
					"--name %s", name, workerNameOf(name))
			}
			if err := writeProject(dir, shown, name); err != nil {
				return err
			}
			return nextSteps(cmd, shown)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` of the Worker; without it the directory's")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return cmd
}

var noWorkerName = lazyregexp.New(`[^a-z0-9]+`)

// workerNameOf makes a name that wrangler and the platform take: 54 characters leave room for what they append.
func workerNameOf(s string) string {
	s = noWorkerName.ReplaceAllString(strings.ToLower(s), "-")
	if s = strings.Trim(s, "-"); len(s) > 54 {
		s = strings.TrimRight(s[:54], "-")
	}
	if s == "" {
		return "my-worker"
	}
	return s
}

// writeProject writes all files, or none if one of them or another configuration exists.
func writeProject(dir, shown, name string) error {
	files := map[string][]byte{}
	err := fs.WalkDir(projectFiles, "project", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := projectFiles.ReadFile(path)
		path = strings.TrimPrefix(path, "project/")
		if to := renamed[path]; to != "" {
			path = to
		}
		files[path] = []byte(strings.ReplaceAll(string(text), "NAME", name))
		return err
	})
	if err != nil {
		return err
	}
	var there []string
	taken := []string{configurationTypes, "wrangler.json", "wrangler.toml"}
	for path := range files {
		taken = append(taken, path)
	}
	for _, path := range taken {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path))); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, path)
		}
	}
	if len(there) > 0 {
		return usage("%s is not empty\n  there are: %s\n  name a new directory: eddy init DIR", shown,
			strings.Join(slices.Sorted(slices.Values(there)), ", "))
	}
	for path, text := range files {
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(path)), text); err != nil {
			return &exitError{exitFailure, fmt.Errorf("make the project: %w", err)}
		}
	}
	return declareProject(dir)
}

func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// declareProject writes the declarations of the bindings, those that eddy types writes before npm install.
func declareProject(dir string) error {
	output := filepath.Join(dir, configurationTypes)
	p, err := declarations.For(declarations.Options{Config: filepath.Join(dir, "wrangler.jsonc"), Output: output,
		Interface: "Env", StrictVars: true, MainModule: true})
	if err != nil {
		return fmt.Errorf("declare the project's bindings: %w", err)
	}
	d, err := p.Env()
	if err != nil {
		return fmt.Errorf("declare the project's bindings: %w", err)
	}
	made := declarations.File{Command: "wrangler types", Hash: d.Hash, Env: d.Text}
	return writeNew(output, []byte(made.String()))
}

func nextSteps(cmd *cobra.Command, dir string) error {
	enter := ""
	if dir != "." {
		enter = "  cd " + report.ShellWord(dir) + "\n"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), `Made a Worker with a queue and a Durable Object in %s

%s  eddy test
  eddy dev
  curl -X POST localhost:8787/tea
  curl localhost:8787/tea

With Node: npm install, then npx wrangler deploy, npx vitest, and eddy types for the platform's types
`, dir, enter)
	return err
}
