package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"eddy/runtime"
	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// explain is the one form in which commands show what went wrong:
//
//	error: there is no queue "paymants"
//	 = there are: payments, shipping
//
// The first line says what went wrong, the others say what was expected and what to do. A line that begins with a tab
// is there to be copied. Package wrangler shows mistakes in files in the same form, with the lines of the file. Go's
// own texts for failures of the system are replaced (plainly).
func explain(err error, color bool) string {
	var ce *runtime.ConfigError
	var be *bundle.BuildError
	var ex *worker.Exception
	if errors.As(err, &ce) {
		return ce.Render(color)
	}
	if errors.As(err, &be) || errors.As(err, &ex) {
		return strings.TrimRight(report.Lines(runtime.Explain(err, color)), "\n") + "\n"
	}
	var b strings.Builder
	for _, one := range apart(err) {
		var d wrangler.Diagnostic
		if errors.As(one, &d) {
			b.WriteString(d.Render(wrangler.RenderOptions{Color: color}))
			continue
		}
		first, rest, _ := strings.Cut(plainly(one), "\n")
		d = wrangler.Diagnostic{Severity: wrangler.Error, Text: report.Escape(strings.TrimSpace(first))}
		b.WriteString(d.Render(wrangler.RenderOptions{Color: color}))
		for line := range strings.Lines(rest) {
			paste := strings.HasPrefix(line, "\t")
			switch line = strings.TrimSpace(line); {
			case line == "":
			case paste:
				b.WriteString("\n" + report.Escape(line) + "\n\n")
			default:
				b.WriteString(" = " + report.Escape(line) + "\n")
			}
		}
	}
	return b.String()
}

// apart splits joined errors, so that each can be shown by itself.
func apart(err error) []error {
	var ee *exitError
	if errors.As(err, &ee) && ee == err {
		if ee.err == nil {
			return nil
		}
		return apart(ee.err)
	}
	var se *runtime.StartError
	if errors.As(err, &se) && error(se) == err {
		var out []error
		for _, one := range apart(se.Err) {
			out = append(out, &runtime.StartError{Worker: se.Worker, Err: one})
		}
		return out
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok &&
		!strings.Contains(fmt.Sprintf("%T", err), "wrapErrors") {
		var out []error
		for _, one := range joined.Unwrap() {
			out = append(out, apart(one)...)
		}
		return out
	}
	return []error{err}
}

// plainly is the text of an error in which plain words replace Go's own texts for failures of the system.
func plainly(err error) string {
	text := err.Error()
	replace := func(inner error, with string) {
		text = strings.Replace(text, inner.Error(), with, 1)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		replace(path, fmt.Sprintf("cannot %s %s: %s", verbOf(path.Op), path.Path, reason(path.Err)))
	}
	var web *url.Error
	if errors.As(err, &web) {
		replace(web, fmt.Sprintf("%s does not answer: %s", originOf(web.URL), reason(web.Err)))
	}
	return text
}

func verbOf(op string) string {
	switch op {
	case "open", "stat", "lstat", "read", "readdirent":
		return "read"
	case "mkdir":
		return "make the directory"
	case "chdir":
		return "go to"
	}
	return op
}

// originOf is scheme and host of the URL that a request went to. Its path would mean nothing to the user.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s
	}
	return u.Scheme + "://" + u.Host
}

// reason says why the system refused.
func reason(err error) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is not a directory"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &dns):
		return "there is no such host"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	}
	return err.Error()
}
