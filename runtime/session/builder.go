package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"eddy/queues"
	"eddy/runtime/bundle"
	"eddy/runtime/engine/regexp"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// builder makes the bundles of one service. Its fields are used by Start, then by the goroutine that builds, and at
// last by Stop.
type builder struct {
	bundler *bundle.Builder
	made    bundle.Options // the options of bundler
	// config is the configuration of the newest build, also of one that failed.
	config *wrangler.Config
	// stale says that the sources of the custom build have changed since it ran. Any goroutine.
	stale atomic.Bool

	// shelf has the bundles of earlier sessions, nil for none. taken says that the newest bundle is one of those,
	// unproved that it has at least the packages of one. proving says that a proof is under way.
	shelf                    *bundle.Shelf
	taken, unproved, proving bool
	// builds counts what was built; failed says that the last one could not be.
	builds int
	failed bool
	// noticed gives up the last proof. Any goroutine.
	noticed atomic.Pointer[context.CancelFunc]
	// early is what the shelf is asked for before the first build, nil for nothing.
	early *early
	// fresh is the newest bundle that was built, and began when, until the shelf has it.
	fresh *bundle.Bundle
	began time.Time
	// reloaded is when the last reload began, and seen what its watcher had seen then. overtaken counts the reloads one
	// after the other that were given up because files were written meanwhile; mayBe says that this one may be.
	reloaded  time.Time
	seen      uint64
	overtaken int
	mayBe     bool
	// newest is the bundle that was built or taken last.
	newest *bundle.Bundle
	// followed are the files that the watcher knows of. doubtful says that another one may have been written between
	// the build that read it and the watcher.
	followed []string
	doubtful bool
}

// errOvertaken says that files were written while a reload read them, so that it may have read halves.
var errOvertaken = errors.New("files were written while they were read")

// early is a bundle that is taken from the shelf beside the opening of the state, before anything is built. Whoever has
// seen made closed may read kept.
type early struct {
	options bundle.Options
	made    chan struct{}
	kept    *bundle.Bundle // nil if the shelf has none
}

// bundle makes a bundle of the files as they are now. A bundler remembers what it has found, so it is kept until the
// options change. The first bundle may be one that an earlier session has made of the same files.
func (b *builder) bundle(cfg *wrangler.Config, o bundle.Options) (*bundle.Bundle, error) {
	first := b.config == nil
	if b.bundler == nil || !reflect.DeepEqual(o, b.made) {
		made, err := newBundler(o)
		if err != nil {
			return nil, err
		}
		b.close()
		b.bundler, b.made = made, o
	}
	b.config = cfg
	if first {
		if kept := b.take(o); kept != nil {
			b.taken, b.unproved, b.newest = true, true, kept
			b.bundler.Borrow(kept)
			return kept, nil
		}
	}
	return b.build()
}

// newBundler makes a bundler of options that stay comparable, which they are without a function.
func newBundler(o bundle.Options) (*bundle.Builder, error) {
	o.CheckRegExp = regexp.Check
	return bundle.New(o)
}

// take gives what the shelf has, or had a moment ago.
func (b *builder) take(o bundle.Options) *bundle.Bundle {
	if e := b.early; e != nil {
		b.early = nil
		if <-e.made; reflect.DeepEqual(e.options, o) && e.kept.Stands() {
			return e.kept // a session may have waited for its state
		}
	}
	return b.shelf.Take(o)
}

// build builds with the options of before.
func (b *builder) build() (*bundle.Bundle, error) {
	began := time.Now() // files have the machine's time
	out, err := b.bundler.Build()
	b.builds++
	b.failed, b.taken, b.unproved = err != nil, false, b.bundler.Borrows()
	if err == nil {
		b.fresh, b.began, b.newest = out, began, out
	}
	return out, err
}

// watch is what the next build depends on, beside what went in, by what the last one has met. A bundle from the shelf
// has met nothing.
func (b *builder) watch() bundle.WatchSet {
	if b.bundler == nil || b.taken {
		return bundle.WatchSet{}
	}
	return b.bundler.Watch()
}

// doubt notes whether files that nothing followed until now may have been written since the build that has read them.
func (b *builder) doubt(set []string) {
	known := map[string]bool{}
	for _, file := range b.followed {
		known[file] = true
	}
	fresh := slices.DeleteFunc(slices.Clone(set), func(file string) bool { return known[file] })
	b.followed, b.doubtful = set, !b.began.IsZero() && bundle.Moved(fresh, b.began)
}

// keep lets the shelf have what was built last, and is proved.
func (b *builder) keep() {
	if b.fresh != nil && !b.unproved {
		b.shelf.Put(b.made, b.fresh, b.began)
		b.fresh = nil
	}
}

// giveUp ends the proof that is under way, if there is one: an edit needs the processors. Any goroutine may call it.
func (b *builder) giveUp() {
	if end := b.noticed.Load(); end != nil {
		(*end)()
	}
}

func (b *builder) close() {
	if b.bundler != nil {
		b.bundler.Close()
		b.bundler = nil
	}
}

// bundleOptions translate the configuration for the bundler.
func bundleOptions(cfg *wrangler.Config, virtual []bundle.VirtualModule) bundle.Options {
	o := bundle.Options{
		Dir: cfg.Dir, Entry: cfg.Main, Virtual: virtual,
		NodeCompat:        cfg.HasFlag("nodejs_compat") || cfg.HasFlag("nodejs_compat_v2"),
		PreserveFileNames: cfg.Build.PreserveFileNames, NoBundle: cfg.Build.NoBundle,
		FindAdditionalModules: cfg.Build.FindAdditionalModules, BaseDir: cfg.Build.BaseDir,
		Alias: cfg.Build.Alias, Define: cfg.Build.Define, TSConfig: cfg.Build.TSConfig,
		JSXFactory: cfg.Build.JSXFactory, JSXFragment: cfg.Build.JSXFragment, Minify: cfg.Build.Minify,
		DropNames: !cfg.Build.KeepNames,
	}
	for _, r := range cfg.Build.Rules {
		if !r.Pos.IsValid() {
			continue // a default rule: the bundler has those itself
		}
		o.Rules = append(o.Rules, bundle.Rule{Type: bundle.RuleType(r.Type), Globs: r.Globs,
			Fallthrough: r.Fallthrough})
	}
	return o
}

// flagsOf resolves the compatibility flags of a configuration. Its errors are mistakes of the user.
func flagsOf(cfg *wrangler.Config) (worker.Flags, error) {
	flags, errs := worker.ResolveFlags(cfg.CompatibilityDate, cfg.CompatibilityFlags)
	if len(errs) > 0 {
		return flags, fmt.Errorf("%s: compatibility_flags: %w", cfg.Path, errors.Join(errs...))
	}
	return flags, nil
}

// flagMistakes are the mistakes in the compatibility flags of a configuration, where they stand.
func flagMistakes(cfg *wrangler.Config) (list wrangler.Diagnostics) {
	_, errs := worker.ResolveFlags(cfg.CompatibilityDate, cfg.CompatibilityFlags)
	for _, err := range errs {
		var mistake *worker.FlagError
		if !errors.As(err, &mistake) {
			panic(err)
		}
		fix := "remove one of the two"
		if !slices.Contains(worker.FlagNames(), mistake.Flag) {
			fix = "remove it; the flags are listed at " +
				"https://developers.cloudflare.com/workers/configuration/compatibility-flags/"
			if near := wrangler.DidYouMean(mistake.Flag, worker.FlagNames()); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		list = append(list, cfg.Diagnose(cfg.FlagPos(mistake.Flag), wrangler.Error, mistake.Text, fix))
	}
	return list
}

// queueMistakes are names that no queue can have.
func queueMistakes(cfg *wrangler.Config) (list wrangler.Diagnostics) {
	check := func(name string, pos wrangler.Pos) {
		if err := queues.CheckName(name); name != "" && err != nil {
			list = append(list, cfg.Diagnose(pos, wrangler.Error, err.Error(), "give the queue another name"))
		}
	}
	for _, p := range cfg.Queues.Producers {
		check(p.Queue, p.Pos)
	}
	for _, c := range cfg.Queues.Consumers {
		check(c.Queue, c.Pos)
		check(c.DeadLetterQueue, c.Pos)
	}
	return list
}
