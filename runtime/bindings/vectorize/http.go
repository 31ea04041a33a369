package vectorize

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxVectors is how many vectors one call may bring (BIND-74).
const maxVectors = 1000

// ServeHTTP answers what the platform's client asks (BIND-72).
func (x *VectorIndex) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := x.serve(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		var wrong refusal
		problem := map[string]any{"error": err.Error()}
		status := http.StatusInternalServerError
		if errors.As(err, &wrong) {
			problem["code"], status = wrong.code, http.StatusBadRequest
		}
		w.WriteHeader(status)
		answer = problem
	}
	_ = json.NewEncoder(w).Encode(answer) // it goes into memory
}

func (x *VectorIndex) serve(r *http.Request) (any, error) {
	var body struct {
		Nearest
		Vectors []Vector `json:"vectors"`
		IDs     []string `json:"ids"`
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &body); err != nil {
			return nil, refusal{40001, "invalid request: " + err.Error()}
		}
	}
	mutated := func(mutation string, err error) (any, error) {
		return map[string]string{"mutationId": mutation}, err
	}
	switch way := strings.TrimPrefix(r.URL.Path, "/"); way {
	case "info":
		return x.Describe()
	case "query":
		matches, err := x.Search(body.Nearest)
		return map[string]any{"count": len(matches), "matches": matches}, err
	case "insert", "upsert":
		if len(body.Vectors) > maxVectors {
			return nil, refusal{40007, fmt.Sprintf("%d vectors in one call, expected at most %d", len(body.Vectors),
				maxVectors)}
		}
		return mutated(x.Put(body.Vectors, way == "upsert"))
	case "getByIds":
		return x.Get(body.IDs)
	case "deleteByIds":
		return mutated(x.Delete(body.IDs))
	default:
		return nil, refusal{40400, "no such operation: " + way}
	}
}
