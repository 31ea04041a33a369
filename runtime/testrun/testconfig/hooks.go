package testconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

// Hooks are what the plugins of a project have to say of its modules, nil if there is none with such hooks.
func (p *Project) Hooks() *bundle.Hooks {
	if !p.hooks {
		return nil
	}
	type answer struct {
		ID       string
		External bool
		Code     string
		Changed  bool
	}
	ask := func(hook string, args ...any) (a answer, err error) {
		text, err := p.program.ask(context.Background(), hook, append([]any{p.index}, args...)...)
		if err != nil {
			return a, p.tree.plugged(err)
		}
		return a, json.Unmarshal([]byte(text), &a)
	}
	return &bundle.Hooks{
		Resolve: func(specifier, importer string) (string, bool, error) {
			a, err := ask("resolveId", specifier, importer)
			return a.ID, a.External, err
		},
		Load: func(id string) (string, bool, error) {
			a, err := ask("load", id)
			return a.Code, a.Changed, err
		},
		Transform: func(id, code string, before bool) (string, bool, error) {
			a, err := ask("transform", id, code, before)
			return a.Code, a.Changed, err
		},
	}
}

// plugged is an error of a plugin, with the place in the configuration that has thrown it.
func (t *Tree) plugged(err error) error {
	var ex *worker.Exception
	if !errors.As(err, &ex) {
		return err
	}
	for _, f := range ex.Frames {
		if file, ok := strings.CutPrefix(f.File, "file://"); ok {
			return fmt.Errorf("%s\n    at %s:%d:%d", ex.Message, t.show(file), f.Line, f.Column)
		}
	}
	return errors.New(ex.Message)
}
