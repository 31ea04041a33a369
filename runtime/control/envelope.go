package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"unicode/utf8"

	"eddy/queues"
)

// Codes of the management API (H-19, H-20); those of the data plane are in queues (H-22).
const (
	codeNoRoute          = 7003
	codeUnknownScript    = 10007
	codeMalformed        = 10208 // not JSON
	codeBadMessage       = 10207 // JSON, but not what is expected
	codeInvalidBody      = 10026
	codeBatchDelay       = 10202
	codePullDisabled     = 10105 // the documents name no code for QueueHttpPullNotEnabled (H-8); a missing feature's is the nearest
	codeInternal         = 15000
	codeNoQueue          = 11000
	codeNoHandler        = 11001
	codeQueueName        = 11003
	codeConsumerExists   = 11004
	codeQueueBound       = 11005
	codeNameTaken        = 11009
	codeNoConsumer       = 11010
	codeNoSubscription   = 11011
	codeConsumerSettings = 100127
	codeQueueSettings    = 100128
)

// maxBody bounds what is read of a request. A batch has at most 256,000 bytes of bodies, which JSON can blow up sixfold.
const maxBody = 4 << 20

// apiError is a refusal of the product API.
type apiError struct {
	status  int
	code    int
	message string
	details []string // further entries of errors[], e.g. one per field
}

func (e *apiError) Error() string { return fmt.Sprintf("%s [code: %d]", e.message, e.code) }

func refuse(status, code int, format string, args ...any) *apiError {
	return &apiError{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

// envelope is H-1.
type envelope struct {
	Success    bool         `json:"success"`
	Errors     []envelopeEr `json:"errors"`
	Messages   []any        `json:"messages"`
	Result     any          `json:"result"`
	ResultInfo *resultInfo  `json:"result_info,omitempty"`
}

type envelopeEr struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type resultInfo struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Count      int `json:"count"`
	TotalCount int `json:"total_count"`
	TotalPages int `json:"total_pages"`
}

// productHandler answers a route of the product API: a result, and paging info if it is a list.
type productHandler func(r *http.Request) (result any, info *resultInfo, err error)

func (a *API) product(h productHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		result, info, err := h(r)
		e := envelope{Success: err == nil, Errors: []envelopeEr{}, Messages: []any{}, Result: result, ResultInfo: info}
		status := http.StatusOK
		if err != nil {
			ae := a.asAPIError(err)
			status, e.Result = ae.status, nil
			e.Errors = append(e.Errors, envelopeEr{ae.code, ae.message})
			for _, d := range ae.details {
				e.Errors = append(e.Errors, envelopeEr{ae.code, d})
			}
		}
		a.write(w, status, e)
	}
}

func (a *API) write(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		a.failed(err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // a client that is gone needs no answer
}

func (a *API) failed(err error) {
	if a.o.Failed != nil {
		a.o.Failed(err)
	}
}

// asAPIError gives every error its status and code.
func (a *API) asAPIError(err error) *apiError {
	var ae *apiError
	var qe *queues.Error
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &ae):
		return ae
	case errors.As(err, &qe):
		status := http.StatusBadRequest
		switch qe.Code {
		case queues.CodeQueueNotFound:
			status = http.StatusNotFound
		case queues.CodeMessageSize, queues.CodeBatchSize:
			status = http.StatusRequestEntityTooLarge
		case queues.CodeOverloaded, queues.CodeStorage, queues.CodeDisabled:
			status = http.StatusTooManyRequests
		}
		return refuse(status, qe.Code, "%s", qe.Cause)
	case errors.As(err, &big):
		return refuse(http.StatusRequestEntityTooLarge, queues.CodeBatchSize, "the request body exceeds %d bytes", big.Limit)
	case errors.Is(err, queues.ErrPaused):
		return refuse(http.StatusConflict, queues.CodeDisabled, "queue_delivery_paused")
	case errors.Is(err, queues.ErrPullNotEnabled):
		return refuse(http.StatusBadRequest, codePullDisabled, "QueueHttpPullNotEnabled: %v", err)
	case errors.Is(err, queues.ErrQueueExists):
		return refuse(http.StatusConflict, codeNameTaken, "%v", err)
	case errors.Is(err, queues.ErrTooManyQueues):
		return refuse(http.StatusBadRequest, codeInvalidBody, "%v", err)
	case errors.Is(err, queues.ErrConsumerExists):
		return refuse(http.StatusConflict, codeConsumerExists, "workers.api.error.consumer_exists")
	case errors.Is(err, queues.ErrNoConsumer):
		return refuse(http.StatusNotFound, codeNoConsumer, "%v", err)
	case errors.Is(err, queues.ErrClosed):
		return refuse(http.StatusServiceUnavailable, codeInternal, "the session is being stopped")
	}
	a.failed(err)
	return refuse(http.StatusInternalServerError, codeInternal, "%v", err)
}

// decode reads a JSON body into a T, whatever its content type says (T-3). Bytes that are not JSON get malformed,
// JSON of another shape gets invalid.
func decode[T any](r *http.Request, malformed, invalid int) (v T, err error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return v, err
		}
		return v, refuse(http.StatusBadRequest, malformed, "the request body could not be read: %v", err)
	}
	if !utf8.Valid(b) || !json.Valid(b) {
		return v, refuse(http.StatusBadRequest, malformed, "the request body is not valid JSON")
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, refuse(http.StatusBadRequest, invalid, "%s", shape("the request body", err))
	}
	return v, nil
}

// shape says in JSON's words what is wrong with the shape of what was to be read from whole.
func shape(whole string, err error) string {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return fmt.Sprintf("%s is not as expected: %v", whole, err)
	}
	if te.Field != "" {
		whole = strconv.Quote(te.Field)
	}
	kind := "a number"
	switch te.Type.Kind() {
	case reflect.Struct, reflect.Map:
		kind = "an object"
	case reflect.Slice:
		kind = "an array"
	case reflect.String:
		kind = "a string"
	case reflect.Bool:
		kind = "a boolean"
	case reflect.Int, reflect.Int64:
		kind = "an integer"
	}
	return fmt.Sprintf("%s should be %s, not %s", whole, kind, te.Value)
}
