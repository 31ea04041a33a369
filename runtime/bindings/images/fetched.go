package images

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxFetched is how much of an answer is taken into memory for cf.image.
const maxFetched = 100 << 20

// qualities are the names that `quality` may have.
var qualities = map[string]int{"low": 35, "medium-low": 50, "medium-high": 70, "high": 90}

// Resize applies the option cf.image of fetch() to an answer; cf is the whole option as JSON. An answer that cannot be
// changed stays as it is, and why says what is wrong with it (BIND-93).
func Resize(res *http.Response, cf string) (why string, err error) {
	var options struct {
		Image json.RawMessage `json:"image"`
	}
	if err := json.Unmarshal([]byte(cf), &options); err != nil || res.StatusCode < 200 || res.StatusCode > 299 {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxFetched+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFetched {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(data), res.Body), res.Body}
		return "the image is larger than 100 MiB", nil
	}
	if err := res.Body.Close(); err != nil {
		return "", err
	}
	changed, contentType, err := resize(data, options.Image)
	var p problem
	if errors.As(err, &p) {
		res.Body = io.NopCloser(bytes.NewReader(data))
		return p.text, nil
	}
	if err != nil {
		return "", err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
	res.StatusCode, res.Status = http.StatusOK, "200 OK"
	res.Header = http.Header{"Content-Type": {contentType}}
	if contentType != "application/json" {
		res.Header.Set("cf-resized", "internal=ok/m")
	}
	return "", nil
}

// resize makes the bytes that a Worker gets in place of an image.
func resize(data []byte, options json.RawMessage) ([]byte, string, error) {
	c, err := readChange(options)
	if err != nil {
		return nil, "", err
	}
	var more struct {
		Format  string          `json:"format"`
		Quality json.RawMessage `json:"quality"`
		Draw    json.RawMessage `json:"draw"`
	}
	if err := json.Unmarshal(options, &more); err != nil {
		return nil, "", unsupported("format is a text: %v", err)
	}
	if len(more.Draw) > 0 {
		return nil, "", unsupported("the option \"draw\" of cf.image is not supported in local mode; draw() of the " +
			"Images binding is")
	}
	p, original, err := read(data)
	if err != nil {
		return nil, "", err
	}
	if p, err = c.apply(p); err != nil {
		return nil, "", err
	}
	format := original.Format
	switch more.Format {
	case "json":
		body, err := json.Marshal(map[string]any{"width": p.Rect.Dx(), "height": p.Rect.Dy(), "original": original})
		return body, "application/json", err
	case "baseline-jpeg":
		format = "image/jpeg"
	case "png-force":
		format = "image/png"
	case "", "auto":
	default:
		format = "image/" + more.Format
	}
	quality, err := strconv.Atoi(string(more.Quality))
	if err != nil {
		var name string
		_ = json.Unmarshal(more.Quality, &name) // what is no name has the platform's quality, as in the reference
		quality = qualities[name]
	}
	body, err := write(p, format, quality)
	return body, format, err
}
