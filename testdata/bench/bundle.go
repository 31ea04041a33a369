package main

import (
	"errors"

	"github.com/evanw/esbuild/pkg/api"
)

// bundleFile joins a Worker and what it imports to one module.
func bundleFile(from, to string) error {
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{from}, Outfile: to, Bundle: true, Write: true, Format: api.FormatESModule,
		Conditions: []string{"workerd", "worker", "browser"}, External: []string{"node:*", "cloudflare:*"},
	})
	var errs []error
	for _, m := range built.Errors {
		errs = append(errs, errors.New(m.Text))
	}
	return errors.Join(errs...)
}
