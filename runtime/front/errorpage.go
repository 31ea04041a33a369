package front

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"eddy/runtime/worker"
)

// writeErrorPage answers for an uncaught exception: the source-mapped stack as plain text for programs, a page for
// browsers (RT15).
func writeErrorPage(w http.ResponseWriter, r *http.Request, status int, ex *worker.Exception) {
	if !wantsHTML(r) {
		w.Header().Set("Content-Type", "text/plain;charset=UTF-8")
		w.WriteHeader(status)
		fmt.Fprint(w, ex.Stack)
		return
	}
	w.Header().Set("Content-Type", "text/html;charset=utf-8")
	w.WriteHeader(status)
	code := ""
	if ex.Code != "" {
		code = `<pre class="code">` + html.EscapeString(ex.Code) + `</pre>`
	}
	fmt.Fprintf(w, errorPage, html.EscapeString(ex.Error()), html.EscapeString(ex.Name), html.EscapeString(ex.Message),
		code, html.EscapeString(ex.Stack))
}

// wantsHTML follows the reference: curl and clients whose Accept names neither text nor everything get plain text.
func wantsHTML(r *http.Request) bool {
	if strings.HasPrefix(strings.ToLower(r.UserAgent()), "curl/") {
		return false
	}
	accept := strings.ToLower(r.Header.Get("Accept"))
	for _, t := range []string{"text/html", "*/*", "text/*"} {
		if strings.Contains(accept, t) {
			return true
		}
	}
	return false
}

const errorPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title><style>
body{font:15px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.2rem;margin:0 0 .3rem;color:#b3261e}p{font-size:1.1rem;margin:0 0 1.5rem;white-space:pre-wrap}
pre{background:#f6f6f4;padding:1rem;overflow:auto;border-radius:6px;font:13px/1.5 ui-monospace,monospace}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#242424}h1{color:#ff8a80}}
</style></head><body><h1>%s</h1><p>%s</p>%s<pre>%s</pre></body></html>
`
