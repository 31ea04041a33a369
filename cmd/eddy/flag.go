package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eddy/wrangler"
)

// usage is the error for a mistake in the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// duration is the value of a flag that takes 90, 10m, 1h30m, 30d or 2w. A number alone is in seconds, as in wrangler.
type duration struct{ time.Duration }

// String implements [pflag.Value].
func (d *duration) String() string { return lasting(d.Duration) }

// Type implements [pflag.Value].
func (d *duration) Type() string { return "duration" }

// Set implements [pflag.Value].
func (d *duration) Set(s string) (err error) {
	d.Duration, err = wrangler.ParseAge(s)
	return err
}

// seconds is the duration in whole seconds, as the product's API counts. A fraction of a second is a mistake.
func (d *duration) seconds(flag string) (int64, error) {
	if d.Duration%time.Second != 0 {
		return 0, usage("--%s %s: expected whole seconds", flag, d)
	}
	return int64(d.Duration / time.Second), nil
}

// kebab lets flags be written in camel case and under their second names, as wrangler and vitest do.
func kebab(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	out := b.String()
	if whole, ok := flagAliases[out]; ok {
		out = whole
	}
	return pflag.NormalizedName(out)
}

var flagAliases = map[string]string{
	"compatibility-flag": "compatibility-flags", "route": "routes",
	"ct": "content-type", "cd": "content-disposition", "ce": "content-encoding", "cl": "content-language",
	"cc": "cache-control", "sequence.seed": "seed", "coverage.enabled": "coverage", "retry.count": "retry",
}

// flagError says what is wrong with a flag, and suggests the one that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return usage("--%s needs a value%s", missing.GetFlag().Name, valueForm(missing.GetFlag()))
	case errors.As(err, &invalid):
		return usage("--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), expected(invalid))
	}
	return &exitError{exitUsage, err}
}

func expected(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int", "int64":
		return "expected a whole number"
	case "uint64":
		return "expected a whole number, 0 or more"
	case "float64":
		return "expected a number"
	case "bool":
		return "expected true or false"
	}
	if cause := errors.Unwrap(e); cause != nil {
		return cause.Error()
	}
	return "expected" + valueForm(e.GetFlag())
}

// valueForm is the name of a flag's value in its help.
func valueForm(f *pflag.Flag) string {
	if name, _ := pflag.UnquoteUsage(f); name != "" {
		return ": " + name
	}
	return ""
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	if short := e.GetSpecifiedShortnames(); short != "" {
		return usage("%s has no flag -%s\n  see %s --help", cmd.CommandPath(), name, cmd.CommandPath())
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	slices.Sort(known)
	fix := fmt.Sprintf("see %s --help", cmd.CommandPath())
	if meant := wrangler.DidYouMean(name, known); meant != "" {
		fix = fmt.Sprintf("did you mean --%s? %s", meant, fix)
	}
	return usage("%s has no flag --%s\n  %s", cmd.CommandPath(), name, fix)
}
