package runtime

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The Images binding describes, changes, draws and writes images; options of fetch() do the same to an answer, which
// stays as it is, with a notice, where they cannot (BIND-90, BIND-91, BIND-92, BIND-93).
func TestImages(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			if _, err := w.Write(picture.Bytes()); err != nil {
				t.Error(err)
			}
		case "/via":
			if _, err := w.Write([]byte("via " + r.Header.Get("Via"))); err != nil {
				t.Error(err)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer origin.Close()
	p := newProject(t, "wrangler.jsonc", script("images", "wrangler.jsonc"), "index.js", script("images", "index.js"))
	s := p.serve()
	_, got := s.ask("GET", "/", "", "x-origin", origin.URL)
	if want := strings.TrimSuffix(script("images", "expect"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.wantLines("GET " + origin.URL + "/via: cf.image has no effect: ERROR: Unsupported image type")
}
