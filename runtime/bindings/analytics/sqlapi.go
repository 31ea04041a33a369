package analytics

import (
	"errors"
	"io"
	"net/http"

	"eddy/runtime/bindings/analytics/dialect"
)

// SQLAPI is the SQL API: a statement as the body of a POST, or in the query of a GET, and the answer in the format that
// it asks for. A mistake in it is a text with the status 422, as the platform answers what it cannot understand.
type SQLAPI struct{ Store *Store }

// ServeHTTP implements [http.Handler].
func (s SQLAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("query")
	if r.Method == http.MethodPost {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text = string(b)
	}
	answer, err := s.Store.Query(r.Context(), text)
	var kind string
	var body []byte
	if err == nil {
		kind, body, err = answer.Write()
	}
	var mistake *dialect.Mistake
	switch {
	case errors.As(err, &mistake):
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) // a client that is gone needs no answer
}
