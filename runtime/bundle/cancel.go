package bundle

import (
	"errors"

	"github.com/evanw/esbuild/pkg/api"
)

// ErrCanceled says that a build was given up.
var ErrCanceled = errors.New("bundle: the build was canceled")

// Cancel ends the Build that is under way, and each later one, soon and with ErrCanceled. Any goroutine may call it; it
// does not wait. esbuild can't be stopped while it joins what it has read, but it reads no more: see setup.
func (b *Builder) Cancel() { b.canceled.Store(true) }

// run lets esbuild build, unless nobody wants to know any more.
func (b *Builder) run(options api.BuildOptions) (result api.BuildResult, err error) {
	if b.canceled.Load() {
		return result, ErrCanceled
	}
	result = api.Build(options)
	if b.canceled.Load() {
		return api.BuildResult{}, ErrCanceled
	}
	return result, nil
}
