package explorer

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
	"eddy/runtime/control"
	"eddy/runtime/running"
	"eddy/runtime/statedir"
	"eddy/workflows/workflowapi"
	"eddy/wrangler"
)

// Base is the path of the overview; all other pages are below it.
const Base = running.Prefix + "/"

// Options connect the pages to a session. Client, Clock and Workers are required.
type Options struct {
	// Client asks the control API of the session.
	Client *control.Client
	// Clock is the session's.
	Clock clock.Clock
	// Workers are those that run in this session now.
	Workers func() []Worker
	// Observe calls a function for all that happens in the queues, until cancel is called. It must not block.
	Observe func(func(queues.Activity)) (cancel func(), err error)
	// State is the state directory, whose journals, stores and mailbox are shown.
	State statedir.Dir
	// Cluster is set in a node of a cluster, which keeps what State has otherwise.
	Cluster *Nodes
	// Workflows are the workflows of the session.
	Workflows func() []workflowapi.Listed
	// Replay runs captured events again; nil if nobody does.
	Replay Replay
	// Work opens the Go work queue that is shown beside the session; nil if there is none.
	Work func(ctx context.Context) (WorkQueue, error)
	// Failed is called with failures that are not the visitor's mistake, after they were answered.
	Failed func(error)
}

// Worker is a Worker of the session.
type Worker struct {
	Name string `json:"name"`
	// URL is where it answers, "" without a port.
	URL string `json:"url,omitempty"`
	// Config is what it runs with.
	Config *wrangler.Config `json:"-"`
	// Served says of each binding how it is served, in the words of the banner.
	Served func(wrangler.Binding) string `json:"-"`
}

// Server serves the pages. Make one with [New].
type Server struct {
	o       Options
	once    sync.Once
	mux     *http.ServeMux
	pages   []page
	acts    []act
	token   string // what a form must bring
	said    sayings
	replays kept[*ReplayPage]
	drafts  kept[draft]
	window  happened
	done    context.Context // ends with Close: streams end then
	close   context.CancelFunc
}

// New makes an explorer. It does nothing before the first request.
func New(o Options) *Server {
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	x := &Server{o: o, token: rand.Text()}
	x.done, x.close = context.WithCancel(context.Background())
	if o.Cluster != nil {
		x.window = newNodeWindow(x.done, o.Cluster)
	} else {
		x.window = newWindow(x.done, o)
	}
	return x
}

// Close ends the streams.
func (x *Server) Close() { x.close() }

// ServeHTTP implements [http.Handler]. The caller has checked that the request is local.
func (x *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.once.Do(x.routes)
	x.mux.ServeHTTP(w, r)
}

func (x *Server) routes() {
	x.pages, x.acts = x.allPages(), x.allActs()
	x.mux = http.NewServeMux()
	for _, p := range x.pages {
		x.mux.HandleFunc("GET "+Base+p.path, x.page(p))
	}
	for _, a := range x.acts {
		x.mux.HandleFunc("POST "+Base+a.path, x.act(a))
	}
	x.mux.HandleFunc("GET "+Base+"openapi.json", x.openAPI)
	x.mux.HandleFunc("GET "+Base+"asset/{name}", asset)
	for _, f := range x.files() {
		x.mux.HandleFunc("GET "+Base+f.path, f.serve)
	}
	x.mux.HandleFunc(Base, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			x.refuse(w, r, &failure{status: http.StatusMethodNotAllowed,
				text: fmt.Sprintf("nothing is to be done at %s",
					r.URL.Path)})
			return
		}
		x.refuse(w, r, &failure{status: http.StatusNotFound, text: fmt.Sprintf("there is no page %s", r.URL.Path)})
	})
}

// header sets what every answer has: nothing may be loaded from elsewhere, and nobody may frame a page.
func header(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
}

// wantsJSON tells whether a request asks for the model instead of the page.
func wantsJSON(r *http.Request) bool {
	if r.URL.Query().Get("format") == "json" {
		return true
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

// now is the session's time.
func (x *Server) now() time.Time { return x.o.Clock.Now() }
