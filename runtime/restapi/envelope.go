package restapi

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
	CodeNoRoute       = 7003
	CodeUnknownScript = 10007
	CodeMalformed     = 10208 // not JSON
	CodeBadMessage    = 10207 // JSON, but not what is expected
	CodeInvalidBody   = 10026
	CodeBatchDelay    = 10202
	// the documents name no code for QueueHttpPullNotEnabled (H-8); a missing feature's is the nearest
	CodePullDisabled     = 10105
	CodeInternal         = 15000
	CodeNoQueue          = 11000
	CodeNoHandler        = 11001
	CodeQueueName        = 11003
	CodeConsumerExists   = 11004
	CodeQueueBound       = 11005
	CodeNameTaken        = 11009
	CodeNoConsumer       = 11010
	CodeNoSubscription   = 11011
	CodeConsumerSettings = 100127
	CodeQueueSettings    = 100128
)

// MaxBody bounds what is read of a request. A batch has at most 256,000 bytes of bodies, which JSON can blow up
// sixfold.
const MaxBody = 4 << 20

// Error is a refusal, as the product words it.
type Error struct {
	// Status is HTTP's, Code the product's.
	Status, Code int
	Message      string
	// Details are further entries of errors[], one for each field that is wrong.
	Details []string
}

func (e *Error) Error() string { return fmt.Sprintf("%s [code: %d]", e.Message, e.Code) }

// Refuse makes a refusal with one entry in errors[].
func Refuse(status, code int, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// envelope is the form of every answer (H-1).
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

// handler answers a route: a result, and paging info if it is a list.
type handler func(r *http.Request) (result any, info *resultInfo, err error)

func (a *API) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		result, info, err := h(r)
		e := envelope{Success: err == nil, Errors: []envelopeEr{}, Messages: []any{}, Result: result, ResultInfo: info}
		status := http.StatusOK
		if err != nil {
			ae := a.Refused(err)
			status, e.Result = ae.Status, nil
			e.Errors = append(e.Errors, envelopeEr{ae.Code, ae.Message})
			for _, d := range ae.Details {
				e.Errors = append(e.Errors, envelopeEr{ae.Code, d})
			}
		}
		a.Answer(w, status, e)
	}
}

// Answer writes v as JSON.
func (a *API) Answer(w http.ResponseWriter, status int, v any) {
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

// Refused gives an error the status and the code that the product has for it. It calls Options.Failed with errors that
// are not the caller's mistake.
func (a *API) Refused(err error) *Error {
	var ae *Error
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
		return Refuse(status, qe.Code, "%s", qe.Cause)
	case errors.As(err, &big):
		return Refuse(http.StatusRequestEntityTooLarge, queues.CodeBatchSize, "the request body exceeds %d bytes",
			big.Limit)
	case errors.Is(err, queues.ErrPaused):
		return Refuse(http.StatusConflict, queues.CodeDisabled, "queue_delivery_paused")
	case errors.Is(err, queues.ErrPullNotEnabled):
		return Refuse(http.StatusBadRequest, CodePullDisabled, "QueueHttpPullNotEnabled: %v", err)
	case errors.Is(err, queues.ErrQueueExists):
		return Refuse(http.StatusConflict, CodeNameTaken, "%v", err)
	case errors.Is(err, queues.ErrTooManyQueues), errors.Is(err, queues.ErrQueueName):
		return Refuse(http.StatusBadRequest, CodeInvalidBody, "%v", err)
	case errors.Is(err, queues.ErrConsumerExists):
		return Refuse(http.StatusConflict, CodeConsumerExists, "workers.api.error.consumer_exists")
	case errors.Is(err, queues.ErrNoConsumer):
		return Refuse(http.StatusNotFound, CodeNoConsumer, "%v", err)
	case errors.Is(err, queues.ErrClosed):
		return Refuse(http.StatusServiceUnavailable, CodeInternal, "the session is being stopped")
	}
	a.failed(err)
	return Refuse(http.StatusInternalServerError, CodeInternal, "%v", err)
}

// Decode reads a JSON body into a T, whatever its content type says (T-3). Bytes that are not JSON get malformed,
// JSON of another shape gets invalid.
func Decode[T any](r *http.Request, malformed, invalid int) (v T, err error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return v, err
		}
		return v, Refuse(http.StatusBadRequest, malformed, "the request body could not be read: %v", err)
	}
	if !utf8.Valid(b) || !json.Valid(b) {
		return v, Refuse(http.StatusBadRequest, malformed, "the request body is not valid JSON")
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, Refuse(http.StatusBadRequest, invalid, "%s", shape("the request body", err))
	}
	return v, nil
}

// shape describes, in JSON's words, how the text whole differs from the shape that was expected of it.
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
