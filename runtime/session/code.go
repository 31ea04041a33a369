package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"eddy/runtime/bundle"
	"eddy/wrangler"
)

// join makes this session a node of its cluster. What it runs is built before: nodes with other code are told apart.
func (s *Session) join(ctx context.Context, configs []*wrangler.Config) (err error) {
	if s.opts.Join == nil {
		return nil
	}
	if s.bundles, err = s.buildAll(ctx, configs); err != nil {
		return err
	}
	s.opts.Cluster, err = s.opts.Join(s.code(configs, s.bundles))
	return err
}

// buildAll builds every Worker as its files are now.
func (s *Session) buildAll(ctx context.Context, configs []*wrangler.Config) ([]*bundle.Bundle, error) {
	bundles := make([]*bundle.Bundle, len(configs))
	var errs []error
	for i, svc := range s.services {
		var err error
		bundles[i], err = s.bundle(ctx, svc, configs[i])
		errs = append(errs, err)
	}
	return bundles, errors.Join(errs...)
}

// code names what Workers are: their scripts with all that these import, and their migrations, wherever they lie. The
// values of variables may differ from machine to machine.
func (s *Session) code(configs []*wrangler.Config, bundles []*bundle.Bundle) string {
	h := sha256.New()
	part := func(b []byte) { // a hash takes all
		_, _ = fmt.Fprintf(h, "%d ", len(b))
		_, _ = h.Write(b)
	}
	for i, b := range bundles {
		part([]byte(s.services[i].name))
		if configs[i].Main != "" { // the script of a Worker with nothing but files lies in the scratch directory
			part([]byte(b.Source))
			if b.Packages != nil {
				part([]byte(b.Packages.Source))
			}
		}
		for _, a := range b.Assets {
			part([]byte(a.Name))
			part(a.Bytes)
		}
		for _, m := range configs[i].Migrations {
			part([]byte(m.Tag))
			part([]byte(m.Text()))
		}
		for _, flag := range configs[i].CompatibilityFlags {
			part([]byte(flag))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}
