package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/runtime"
	"eddy/runtime/declarations"
	"eddy/wrangler"
)

// configurationTypes is the file that wrangler types writes.
const configurationTypes = "worker-configuration.d.ts"

// typesFlags are those of wrangler types.
type typesFlags struct {
	configs, envFiles                       []string
	env, envInterface, path                 string
	runtime, withEnv, strictVars, mainTypes bool
	check                                   bool
}

func (f *typesFlags) add(fl *pflag.FlagSet) {
	fl.StringArrayVarP(&f.configs, "config", "c", nil, "configuration `file`; may be repeated for the Workers that "+
		"the first one binds")
	fl.StringVarP(&f.env, "env", "e", "", "`environment` of the configuration; without it all are declared")
	fl.StringArrayVar(&f.envFiles, "env-file", nil, "dotenv `file` instead of the usual ones; may be repeated")
	fl.StringVar(&f.envInterface, "env-interface", "Env", "`name` of the interface")
	fl.StringVar(&f.path, "path", configurationTypes, "`file` to write")
	fl.BoolVar(&f.runtime, "include-runtime", true, "declare the platform, with the project's workerd")
	fl.BoolVar(&f.withEnv, "include-env", true, "declare the bindings")
	fl.BoolVar(&f.strictVars, "strict-vars", true, "declare vars by their values")
	fl.BoolVar(&f.mainTypes, "include-main-module", true, "import the main module's type, for ctx.exports")
	fl.BoolVar(&f.check, "check", false, "write nothing; fail if the file is out of date")
}

// command is how the header of the file names what made it: as wrangler, so that both tools know it.
func (f *typesFlags) command() string {
	parts := []string{"wrangler types"}
	for _, c := range f.configs {
		parts = append(parts, "--config="+c)
	}
	if f.env != "" {
		parts = append(parts, "--env="+f.env)
	}
	for _, file := range f.envFiles {
		parts = append(parts, "--env-file="+file)
	}
	for _, b := range []struct {
		name  string
		value bool
	}{{"runtime", f.runtime}, {"env", f.withEnv}, {"main-module", f.mainTypes}} {
		if !b.value {
			parts = append(parts, "--include-"+b.name+"=false")
		}
	}
	if !f.strictVars {
		parts = append(parts, "--strict-vars=false")
	}
	if f.envInterface != "Env" {
		parts = append(parts, "--env-interface="+f.envInterface)
	}
	if f.path != configurationTypes {
		parts = append(parts, f.path)
	}
	return strings.Join(parts, " ")
}

// run writes or checks the file.
func (f *typesFlags) run(cmd *cobra.Command, env OS) error {
	dir, err := env.Getwd()
	if err != nil {
		return err
	}
	output := inDir(dir, f.path)
	switch {
	case !declarations.ValidInterface.MatchString(f.envInterface):
		return usage("--env-interface %q is no name that wrangler takes\n  write letters, digits and _, a letter first",
			f.envInterface)
	case !strings.HasSuffix(f.path, ".d.ts"):
		return usage("%s is no file of declarations\n  its name should end with .d.ts", f.path)
	case !f.withEnv && !f.runtime:
		return usage("nothing is left to declare\n  leave out --include-env=false or --include-runtime=false")
	}
	text, err := os.ReadFile(output)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
	}
	was, known := declarations.Read(string(text))
	switch {
	case f.check && missing:
		return &exitError{exitFailure, fmt.Errorf("there are no types at %s\n  write them: eddy types", f.path)}
	case f.check && !known, !missing && !known:
		return &exitError{exitFailure, fmt.Errorf("%s exists and has no types that eddy or wrangler has written\n"+
			"  name another file: eddy types other.d.ts", f.path)}
	case f.check:
		if err := f.recall(cmd.Flags(), was); err != nil {
			return err
		}
	}
	p, err := f.project(dir, output, env)
	if err != nil {
		return err
	}
	for _, note := range p.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", note)
	}
	file := declarations.File{Command: f.command()}
	if f.withEnv {
		d, err := p.Env()
		if err != nil {
			return usage("%w", err)
		}
		file.Env, file.Hash = d.Text, d.Hash
	}
	if f.check {
		return f.compare(cmd, p, was, file)
	}
	if f.runtime {
		if err := f.platform(cmd, p, was, &file); err != nil {
			return err
		}
	}
	if err := os.WriteFile(output, []byte(file.String()), 0o644); err != nil {
		return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s\n", f.path)
	return err
}

func inDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// project finds the configurations. A generated one does not count, as in wrangler types.
func (f *typesFlags) project(dir, output string, env OS) (*declarations.Project, error) {
	o := declarations.Options{Env: f.env, EnvFiles: f.envFiles, Environ: env.Environ, Output: output,
		Interface: f.envInterface, StrictVars: f.strictVars, MainModule: f.mainTypes}
	if len(f.configs) == 0 {
		loc, err := wrangler.Find(dir)
		if errors.Is(err, wrangler.ErrNotFound) {
			err = usage("%w\n  name it: eddy types -c path/to/wrangler.jsonc\n"+
				"  for the declarations of do-queue: eddy types --do-queue", err)
		}
		if err != nil {
			return nil, err
		}
		o.Config = loc.UserPath
	}
	for i, c := range f.configs {
		loc, err := wrangler.Locate(inDir(dir, c))
		if err != nil {
			return nil, usage("%w", err)
		}
		path := loc.Path
		if loc.UserPath != "" {
			path = loc.UserPath
		}
		if i == 0 {
			o.Config = path
		} else {
			o.Others = append(o.Others, path)
		}
	}
	p, err := declarations.For(o)
	var wrong *declarations.Mistakes
	if errors.As(err, &wrong) {
		return nil, &exitError{exitUsage, &runtime.ConfigError{Diagnostics: wrong.Diagnostics, Dir: dir}}
	} else if err != nil {
		return nil, usage("%w", err)
	}
	return p, nil
}

// platform adds the declarations of the platform: those of the file if they were made for the same, or those that the
// project's workerd makes. Without a workerd the line above them must be about the same date and flags.
func (f *typesFlags) platform(cmd *cobra.Command, p *declarations.Project, was declarations.File,
	file *declarations.File) error {
	date, flags := p.CompatibilityDate(), p.CompatibilityFlags()
	if date == "" {
		return usage("the platform's types depend on compatibility_date, which the configuration lacks\n" +
			"  add it, or declare the bindings alone: eddy types --include-runtime=false")
	}
	w, err := declarations.FindWorkerd(p.Dir())
	switch {
	case err == nil && was.RuntimeHeader == w.Header(date, flags),
		err != nil && declarations.SameRuntime(was.RuntimeHeader, date, flags):
		file.RuntimeHeader, file.Runtime = was.RuntimeHeader, was.Runtime
		return nil
	case err == nil:
		file.RuntimeHeader = w.Header(date, flags)
		if file.Runtime, err = w.Declare(cmd.Context(), date, flags); err != nil {
			return &exitError{exitFailure, fmt.Errorf("write types: %w", err)}
		}
		return nil
	case cmd.Flags().Changed("include-runtime") || was.RuntimeHeader != "":
		return &exitError{exitFailure, fmt.Errorf("the platform's types come from workerd, and %w\n"+
			"  npm install --save-dev wrangler brings it\n"+
			"  or declare the bindings alone: eddy types --include-runtime=false", err)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "The platform's types are left out: they come from workerd, and %s.\n"+
		"npm install --save-dev wrangler brings it; @cloudflare/workers-types declares the platform without it.\n", err)
	return nil
}

// recall takes the settings that the command line does not name from the command that made the file.
func (f *typesFlags) recall(fl *pflag.FlagSet, was declarations.File) error {
	made := typesFlags{}
	from := pflag.NewFlagSet("", pflag.ContinueOnError)
	from.SetNormalizeFunc(kebab)
	made.add(from)
	if err := from.Parse(strings.Fields(was.Command)); err != nil {
		return &exitError{exitFailure, fmt.Errorf("the header of %s names an unknown command: %w", f.path, err)}
	}
	from.Visit(func(flag *pflag.Flag) {
		own := fl.Lookup(flag.Name)
		if own.Changed || flag.Name == "path" || flag.Name == "check" {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			for _, item := range list.GetSlice() {
				_ = own.Value.Set(item) // it was parsed by a flag of the same kind
			}
			return
		}
		_ = own.Value.Set(flag.Value.String())
	})
	f.withEnv = f.withEnv && was.Hash != ""
	f.runtime = f.runtime && was.RuntimeHeader != ""
	return nil
}

// compare tells whether the file is up to date.
func (f *typesFlags) compare(cmd *cobra.Command, p *declarations.Project, was, now declarations.File) error {
	date, flags := p.CompatibilityDate(), p.CompatibilityFlags()
	same := !f.withEnv || was.Hash == now.Hash
	if f.runtime {
		if w, err := declarations.FindWorkerd(p.Dir()); err == nil {
			same = same && was.RuntimeHeader == w.Header(date, flags)
		} else {
			same = same && declarations.SameRuntime(was.RuntimeHeader, date, flags)
		}
	}
	if !same {
		return &exitError{exitFailure, fmt.Errorf("the types at %s are out of date\n  write them anew: %s", f.path,
			"eddy"+strings.TrimPrefix(was.Command+again(was), "wrangler"))}
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "Types at %s are up to date\n", f.path)
	return err
}

// again is a command for a file that names none.
func again(was declarations.File) string {
	if was.Command != "" {
		return ""
	}
	return "wrangler types --include-env=" + strconv.FormatBool(was.Hash != "")
}
