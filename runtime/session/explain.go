package session

import (
	"errors"
	"fmt"
	"strings"

	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

// Explain renders an error of Start or Reload for a terminal.
func Explain(err error, color bool) string {
	var ce *ConfigError
	if errors.As(err, &ce) {
		return ce.Render(color)
	}
	var be *bundle.BuildError
	if errors.As(err, &be) {
		return strings.TrimRight(be.Error(), "\n")
	}
	var se *StartError
	var ex *worker.Exception
	if errors.As(err, &se) && errors.As(err, &ex) {
		text := fmt.Sprintf("Worker %s failed to start.\n\nUncaught %s", se.Worker, ex.Stack)
		if ex.Code != "" {
			text += "\n" + ex.Code
		}
		return text
	}
	return err.Error()
}
