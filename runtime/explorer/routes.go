package explorer

import (
	"net/http"
	"slices"
)

// file is an answer that is no page.
type file struct {
	path, about string // path is below Base
	// kind is its media type.
	kind  string
	query []field
	serve http.HandlerFunc
}

// files list what is no page, for the routes and for the OpenAPI document.
func (x *Server) files() []file {
	return []file{
		{"live", "A stream of events that says change whenever something in the session may have changed.",
			"text/event-stream", nil, x.live},
		{"traces/{id}/capture", "A trace as eddy capture writes it, for eddy replay.", "application/jsonl", nil,
			x.capture},
		{"r2/{bucket}/file", "An object of an R2 bucket.", "application/octet-stream", []field{{"key", "which object"}},
			x.download},
	}
}

// allPages and allActs list what there is, for the routes and for the OpenAPI document.
func (x *Server) allPages() []page {
	return slices.Concat(x.overviewPages(), x.nodePages(), x.queuePages(), x.messagePages(),
		x.deadLetterPages(), x.objectPages(),
		x.lanePages(), x.eventPages(), x.timePages(), x.storePages(), x.workflowPages(), x.mailPages(),
		x.workPages(),
		x.capturePages())
}

func (x *Server) allActs() []act {
	return slices.Concat(x.queueActs(), x.deadLetterActs(), x.objectActs(), x.laneActs(), x.timeActs(), x.storeActs(),
		x.workflowActs(), x.workActs(), x.captureActs())
}
