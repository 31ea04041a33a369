package r2

import (
	"encoding/json"
	"fmt"
	"slices"

	"eddy/runtime/sqlite"
)

// Error is a refusal with the platform's code. JavaScript sees "<method>: <text> (<code>)".
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Text, e.Code) }

// The platform's refusals.
var (
	errInternal     = &Error{10001, "We encountered an internal error. Please try again."}
	errName         = &Error{10020, "The specified object name is not valid."}
	errMetadata     = &Error{10012, "Your metadata headers exceed the maximum allowed metadata size."}
	errRange        = &Error{10039, "The requested range is not satisfiable"}
	errMaxKeys      = &Error{10022, "MaxKeys params must be positive integer <= 1000."}
	errNoUpload     = &Error{10024, "The specified multipart upload does not exist."}
	errNoPart       = &Error{10025, "One or more of the specified parts could not be found."}
	errPartTooSmall = &Error{10011, "Your proposed upload is smaller than the minimum allowed object size."}
	errUnevenParts  = &Error{10048, "There was a problem with the multipart upload."}
)

// Limits of the platform, in bytes where they are sizes.
const (
	maxKey      = 1024
	maxMetadata = 8192
	maxListKeys = 1000
	minPart     = 5 << 20
)

// StoredObject is what the index knows of a key. r2.js makes the JavaScript object from its JSON.
type StoredObject struct {
	Key      string `json:"key"`
	Version  string `json:"version"`
	Size     int64  `json:"size"`
	ETag     string `json:"etag"`
	Uploaded int64  `json:"uploaded"` // ms since the epoch
	// HTTP and Custom are JSON objects, Checksums one of hex digests by "md5", "sha1", ….
	HTTP      json.RawMessage   `json:"httpMetadata"`
	Custom    json.RawMessage   `json:"customMetadata"`
	Checksums map[string]string `json:"checksums"`
	Range     *Range            `json:"range,omitempty"`

	// value is the file, "" if the value is made of parts.
	value string
}

// Range is a part of a value, in bytes.
type Range struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// columns are those that scan reads.
const columns = "key, version, size, etag, uploaded, checksums, http_metadata, custom_metadata, blob_id"

func scan(st *sqlite.Stmt) (*StoredObject, error) {
	o := &StoredObject{
		Key: st.Text(0), Version: st.Text(1), Size: st.Int(2), ETag: st.Text(3), Uploaded: st.Int(4),
		HTTP: json.RawMessage(st.Text(6)), Custom: json.RawMessage(st.Text(7)),
	}
	if !st.Null(8) {
		o.value = st.Text(8)
	}
	if err := json.Unmarshal([]byte(st.Text(5)), &o.Checksums); err != nil || !json.Valid(o.HTTP) ||
		!json.Valid(o.Custom) {
		return nil, fmt.Errorf("R2 object %q: the index holds no JSON for it", o.Key)
	}
	if o.Checksums == nil {
		o.Checksums = map[string]string{}
	}
	if len(o.ETag) == 32 {
		o.Checksums["md5"] = o.ETag
	}
	return o, nil
}

// ETagMatch is an ETag of a condition; Any is the wildcard.
type ETagMatch struct {
	Value string `json:"value"`
	Weak  bool   `json:"weak"`
	Any   bool   `json:"any"`
}

// Condition is onlyIf. Times are ms since the epoch.
type Condition struct {
	Match    []ETagMatch `json:"match"`
	NotMatch []ETagMatch `json:"notMatch"`
	Before   *float64    `json:"before"`
	After    *float64    `json:"after"`
	// Seconds compares times by whole seconds, as headers have them.
	Seconds bool `json:"seconds"`
}

// holds tells whether the condition is met by an object, nil for none. It follows RFC 9110, 13.2.2: ETags go before
// times.
func (c *Condition) holds(o *StoredObject) bool {
	if c == nil {
		return true
	}
	if o == nil {
		return c.Match == nil && c.After == nil
	}
	is := func(list []ETagMatch, weak bool) bool {
		return slices.ContainsFunc(
			list, func(m ETagMatch) bool { return m.Any || m.Value == o.ETag && (weak || !m.Weak) })
	}
	at := func(ms float64) int64 {
		if c.Seconds {
			return int64(ms) / 1000
		}
		return int64(ms)
	}
	match, none := c.Match == nil || is(c.Match, false), c.NotMatch == nil || !is(c.NotMatch, true)
	uploaded := at(float64(o.Uploaded))
	after := c.After == nil || at(*c.After) < uploaded || c.NotMatch != nil && none
	before := c.Before == nil || uploaded < at(*c.Before) || c.Match != nil && match
	return match && none && after && before
}

// RangeOption is the range of a get: Offset and Length, or Suffix.
type RangeOption struct {
	Offset *int64 `json:"offset"`
	Length *int64 `json:"length"`
	Suffix *int64 `json:"suffix"`
}

// of returns the range within a value of that size.
func (r *RangeOption) of(size int64) (Range, error) {
	whole := Range{0, size}
	if r == nil {
		return whole, nil
	}
	if r.Suffix != nil {
		if *r.Suffix <= 0 {
			return whole, errRange
		}
		n := min(*r.Suffix, size)
		return Range{size - n, n}, nil
	}
	out := whole
	if r.Offset != nil {
		out.Offset = *r.Offset
		out.Length = size - out.Offset
	}
	if r.Length != nil {
		out.Length = *r.Length
	}
	if out.Offset < 0 || out.Offset > size || out.Length <= 0 {
		return whole, errRange
	}
	out.Length = min(out.Length, size-out.Offset)
	return out, nil
}
