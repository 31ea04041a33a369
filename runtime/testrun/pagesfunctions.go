package testrun

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/lazyregexp"
	"eddy/runtime/report"
	"eddy/runtime/session"
	"eddy/runtime/testrun/testconfig"
)

//go:embed pagesrouter.js
var pagesRouter string

// pagesFunctions does what `wrangler pages functions build` does with a folder of functions (TEST-63): index.js in the
// output directory is a Worker that routes requests to them, by their files' names
// (https://developers.cloudflare.com/pages/functions/routing/), and what no function answers to the binding ASSETS.
// With --watch it builds once.
func pagesFunctions(dir string, args []string) (string, error) {
	fl := pflag.NewFlagSet("wrangler pages functions build", pflag.ContinueOnError)
	outdir := fl.String("outdir", "", "")
	fallback := fl.String("fallback-service", "ASSETS", "")
	minify := fl.Bool("minify", false, "")
	flags := fl.StringArray("compatibility-flags", []string{"nodejs_compat"}, "")
	date := fl.String("compatibility-date", "2026-01-01", "")
	fl.Bool("watch", false, "")
	if err := fl.Parse(args); err != nil {
		return "", fmt.Errorf("%w: %w", testconfig.ErrNotServed, err)
	}
	if *outdir == "" {
		return "", fmt.Errorf("%w without --outdir", testconfig.ErrNotServed)
	}
	from := "functions"
	if fl.NArg() > 0 {
		from = fl.Arg(0)
	}
	for _, p := range []*string{&from, outdir} {
		if !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
	entry, err := pagesEntry(from, *fallback)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "eddy-pages-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) // what is left of it does no harm
	config, err := json.Marshal(map[string]any{"name": "pages", "main": "index.js", "compatibility_date": *date,
		"compatibility_flags": *flags, "minify": *minify})
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"index.js": entry, "router.js": pagesRouter, "wrangler.json": string(config),
	} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	_, b, err := session.Prepare(session.Options{
		Configs: []string{filepath.Join(scratch, "wrangler.json")}, Dir: scratch, Clock: clock.Real{},
		Report: report.New(report.Options{Level: report.None}),
	})
	if err != nil {
		return "", err
	}
	written, err := bundle.Write(b, *outdir)
	if err != nil {
		return "", err
	}
	return "Built " + written + "\n", nil
}

// pagesPart is a part of a route: one of the three is set.
type pagesPart struct {
	Text  string `json:"text,omitempty"`
	Param string `json:"param,omitempty"`
	Rest  string `json:"rest,omitempty"`
}

// pagesEntry is the entry of the Worker for a folder of functions.
func pagesEntry(folder, fallback string) (string, error) {
	var imports, list strings.Builder
	count := 0
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !pagesScript.MatchString(d.Name()) || strings.HasSuffix(d.Name(), ".d.ts") {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		route := strings.TrimSuffix(filepath.ToSlash(below), path.Ext(file))
		middleware := path.Base(route) == "_middleware"
		if middleware || path.Base(route) == "index" {
			route = path.Dir(route)
		}
		parts, err := json.Marshal(pagesParts(route))
		if err != nil {
			return err
		}
		name, err := json.Marshal(filepath.ToSlash(file))
		if err != nil {
			return err
		}
		fmt.Fprintf(&imports, "import * as f%d from %s;\n", count, name)
		fmt.Fprintf(&list, "  { parts: %s, middleware: %v, exports: f%d },\n", parts, middleware, count)
		count++
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("the folder of functions: %w", err)
	}
	if count == 0 {
		return "", fmt.Errorf("%s has no functions", folder)
	}
	service, err := json.Marshal(fallback)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%simport { pages } from \"./router.js\";\nexport default pages([\n%s], %s);\n", &imports, &list,
		service), nil
}

var pagesScript = lazyregexp.New(`\.(m?js|jsx|ts|tsx)$`)

// pagesParts are the parts of a route: [name] is one part of a path, [[name]] all that is left.
func pagesParts(route string) []pagesPart {
	list := []pagesPart{}
	for _, s := range strings.Split(route, "/") {
		if s == "" || s == "." {
			continue
		}
		if rest, ok := strings.CutPrefix(s, "[["); ok && strings.HasSuffix(rest, "]]") {
			list = append(list, pagesPart{Rest: strings.TrimSuffix(rest, "]]")})
		} else if param, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(param, "]") {
			list = append(list, pagesPart{Param: strings.TrimSuffix(param, "]")})
		} else {
			list = append(list, pagesPart{Text: s})
		}
	}
	return list
}
