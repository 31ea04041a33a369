package fetch

import (
	"encoding/json"
	"net/http"
	"strings"

	"eddy/runtime/engine/host"
)

// ImageResizer applies the option cf.image to the answer of an outgoing request; why says what an answer that stays as
// it is could not be changed for. It is called off the loop.
type ImageResizer func(res *http.Response, cf string) (why string, err error)

// SetImageResizer says who serves cf.image; without it the option has no effect. Call it before scripts run.
func SetImageResizer(h *host.Host, f ImageResizer) { of(h).resizer = f }

// resizes tells whether a request asks for cf.image, and marks it as the platform's resizer does (BIND-93).
func (k *classes) resizes(q *OutRequest, req *http.Request) bool {
	if k.resizer == nil || !strings.Contains(q.CF, `"image"`) {
		return false
	}
	var cf struct{ Image map[string]json.RawMessage }
	if json.Unmarshal([]byte(q.CF), &cf) != nil || cf.Image == nil {
		return false
	}
	via := "image-resizing"
	if before := req.Header.Get("Via"); before != "" {
		via = before + ", " + via
	}
	req.Header.Set("Via", via)
	req.Header.Set("Accept-Encoding", "identity")
	return true
}
