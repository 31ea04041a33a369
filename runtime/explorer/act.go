package explorer

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxForm bounds what an act may bring: a hundred messages of the largest size, with their encoding.
const maxForm = 32 << 20

// act changes something.
type act struct {
	path   string // below Base
	about  string
	fields []field
	// do returns what was done, for the person who asked, and where to go if not back.
	do func(in input) (said, to string, err error)
}

// input is what an act was sent: a form, or a JSON object with the same names.
type input struct {
	ctx    context.Context
	r      *http.Request
	values url.Values
}

// path is a part of the path.
func (in input) path(name string) string { return in.r.PathValue(name) }

// get is a value, "" if there is none.
func (in input) get(name string) string { return in.values.Get(name) }

// has tells whether a box was ticked.
func (in input) has(name string) bool {
	v := in.values.Get(name)
	return v != "" && v != "0" && v != "false"
}

// number reads a number that may be absent.
func (in input) number(name string) (*int64, error) {
	text := strings.TrimSpace(in.get(name))
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, refused("%s: %q is not a whole number", name, text)
	}
	return &n, nil
}

// act makes the handler of an act.
func (x *Server) act(a act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		in, err := x.read(r)
		if err != nil {
			x.refuse(w, r, err)
			return
		}
		said, to, err := a.do(in)
		if err != nil {
			x.refuse(w, r, err)
			return
		}
		if isJSON(r) || wantsJSON(r) {
			answerJSON(w, http.StatusOK, Done{said})
			return
		}
		if to == "" {
			to = back(r)
		}
		if said != "" {
			key := rand.Text()
			x.said.keep(key, said)
			to = withSaid(to, key)
		}
		header(w)
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// Done is the answer of an act to a script.
type Done struct {
	Said string `json:"said"`
}

// read takes a form with the pages' token, or JSON: no page of another origin can send that without asking first.
func (x *Server) read(r *http.Request) (input, error) {
	in := input{ctx: r.Context(), r: r}
	if isJSON(r) {
		var fields map[string]any
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
			return in, refused("the body is not a JSON object: %v", err)
		}
		var err error
		in.values, err = valuesOf(fields)
		return in, err
	}
	if err := r.ParseMultipartForm(maxForm); err != nil && err != http.ErrNotMultipart {
		return in, refused("the form cannot be read: %v", err)
	}
	in.values = r.PostForm
	if r.MultipartForm != nil {
		in.values = r.MultipartForm.Value
	}
	// A form that can also be sent as a view's URL has the token and what is not of the view in the address of its act.
	token := in.get("token")
	for name, v := range r.URL.Query() {
		if name == "t" {
			token = v[0]
		} else if !in.values.Has(name) {
			in.values[name] = v
		}
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(x.token)) != 1 {
		return in, &failure{status: http.StatusForbidden,
			text: "This form is from another run of the session, or from " +
				"another page.", details: []string{"load the page again and repeat it there",
				"scripts send JSON: Content-Type: application/json"}}
	}
	return in, nil
}

// valuesOf makes of a JSON object what a form would have sent.
func valuesOf(fields map[string]any) (url.Values, error) {
	out := url.Values{}
	for name, v := range fields {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, v := range list {
			switch v := v.(type) {
			case nil:
			case string:
				out.Add(name, v)
			case bool:
				out.Add(name, strconv.FormatBool(v))
			case float64:
				out.Add(name, strconv.FormatFloat(v, 'f', -1, 64))
			default:
				return nil, refused("%s: expected a string, a number, true, false, or a list of these", name)
			}
		}
	}
	return out, nil
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// back is the page that a form was on: where the form says so, a page of the explorer's, else the overview.
func back(r *http.Request) string {
	for _, from := range []string{r.PostFormValue("back"), r.Referer()} {
		u, err := url.Parse(from)
		if err == nil && from != "" && strings.HasPrefix(u.Path, Base) {
			q := u.Query()
			q.Del("said")
			return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: q.Encode()}).RequestURI()
		}
	}
	return Base
}

// withSaid adds the key of what was said to an address of the explorer's own.
func withSaid(to, key string) string {
	u, err := url.Parse(to)
	if err != nil {
		return Base
	}
	q := u.Query()
	q.Set("said", key)
	u.RawQuery = q.Encode()
	return u.String() // with the fragment
}

// many says how many things there are.
func many(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
