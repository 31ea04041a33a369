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
	var answer any
	data, err := io.ReadAll(r.Body)
	if err == nil {
		answer, err = x.do(operation(r), data)
	}
	status := http.StatusOK
	if err != nil {
		status, answer = problem(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // it goes into memory
}

// operation is what a request asks for.
func operation(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/") }

// problem is the answer to a call that failed.
func problem(err error) (status int, answer any) {
	var wrong refusal
	if errors.As(err, &wrong) {
		return http.StatusBadRequest, map[string]any{"error": wrong.text, "code": wrong.code}
	}
	return http.StatusInternalServerError, map[string]any{"error": err.Error()}
}

// do makes a call, whose arguments are data, as JSON.
func (x *VectorIndex) do(operation string, data []byte) (any, error) {
	var body struct {
		Nearest
		Vectors []Vector `json:"vectors"`
		IDs     []string `json:"ids"`
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &body); err != nil {
			return nil, refusal{40001, "invalid request: " + err.Error()}
		}
	}
	mutated := func(mutation string, err error) (any, error) {
		return map[string]string{"mutationId": mutation}, err
	}
	switch operation {
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
		return mutated(x.Put(body.Vectors, operation == "upsert"))
	case "getByIds":
		return x.Get(body.IDs)
	case "deleteByIds":
		return mutated(x.Delete(body.IDs))
	default:
		return nil, refusal{40400, "no such operation: " + operation}
	}
}
