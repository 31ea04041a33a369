package images

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"

	"golang.org/x/image/draw"
)

// PictureService answers what the platform's client asks of the Images service (BIND-91).
type PictureService struct{}

// ServeHTTP implements [http.Handler].
func (PictureService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, contentType, err := serve(r)
	if err == nil {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body) // it goes into memory
		return
	}
	p := problem{9523, http.StatusInternalServerError, "ERROR: " + err.Error()}
	errors.As(err, &p)
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("cf-images-binding", fmt.Sprintf("err=%d", p.code))
	w.WriteHeader(p.status)
	_, _ = fmt.Fprintf(w, "ERROR %d: %s", p.code, p.text)
}

func serve(r *http.Request) (body []byte, contentType string, err error) {
	if err := r.ParseMultipartForm(64 << 20); err != nil {
		return nil, "", malformed("expected a multipart form: %v", err)
	}
	defer func() { err = errors.Join(err, r.MultipartForm.RemoveAll()) }()
	files := r.MultipartForm.File
	if len(files["image"]) == 0 {
		if len(r.MultipartForm.Value["text_input"]) > 0 {
			return nil, "", unsupported("text() is not supported in local mode: name a stand-in for it")
		}
		return nil, "", malformed("expected image in request, got null")
	}
	data, err := content(files["image"][0])
	if err != nil {
		return nil, "", err
	}
	if r.URL.Path == "/info" {
		a, err := inspect(data)
		if err != nil {
			return nil, "", err
		}
		body, err = json.Marshal(a)
		return body, "application/json", err
	}
	pictures := make([]*image.RGBA, 1+len(files["draw_image"]))
	if pictures[0], _, err = read(data); err != nil {
		return nil, "", err
	}
	for i, f := range files["draw_image"] {
		if data, err = content(f); err != nil {
			return nil, "", err
		}
		if pictures[i+1], _, err = read(data); err != nil {
			return nil, "", err
		}
	}
	if err := transform(pictures, r.FormValue("transforms")); err != nil {
		return nil, "", err
	}
	return output(pictures[0], r.MultipartForm.Value)
}

func content(f *multipart.FileHeader) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// drawing lays one picture over another.
type drawing struct {
	Image     *int            `json:"drawImageIndex"`
	Text      *int            `json:"drawTextIndex"`
	Target    int             `json:"targetImageIndex"`
	Opacity   *float64        `json:"opacity"`
	Composite string          `json:"composite"`
	Repeat    json.RawMessage `json:"repeat"`
	Top       *int            `json:"top"`
	Left      *int            `json:"left"`
	Bottom    *int            `json:"bottom"`
	Right     *int            `json:"right"`
}

// transform applies the list of changes and drawings in its order.
func transform(pictures []*image.RGBA, list string) error {
	wrong := malformed("Expected JSON array of valid transforms in transforms field")
	var steps []json.RawMessage
	if err := json.Unmarshal([]byte(list), &steps); err != nil {
		return wrong
	}
	known := func(i int) bool { return i >= 0 && i < len(pictures) }
	for _, step := range steps {
		var d drawing
		var on struct {
			Image int `json:"imageIndex"`
		}
		if json.Unmarshal(step, &d) != nil || json.Unmarshal(step, &on) != nil {
			return wrong
		}
		switch {
		case d.Text != nil:
			return unsupported("text() is not supported in local mode: name a stand-in for it")
		case d.Image != nil:
			if !known(*d.Image) || !known(d.Target) {
				return wrong
			}
			to, err := d.over(pictures[d.Target], pictures[*d.Image])
			if err != nil {
				return err
			}
			pictures[d.Target] = to
		default:
			if !known(on.Image) {
				return wrong
			}
			c, err := readChange(step)
			if err != nil {
				return err
			}
			if pictures[on.Image], err = c.apply(pictures[on.Image]); err != nil {
				return err
			}
		}
	}
	return nil
}

// over draws a layer; without a side it is in the middle.
func (d drawing) over(base, layer *image.RGBA) (*image.RGBA, error) {
	if d.Composite != "" && d.Composite != "over" {
		return nil, unsupported("composite %q is not supported in local mode, expected over", d.Composite)
	}
	alpha := uint8(255)
	if d.Opacity != nil {
		alpha = uint8(min(max(*d.Opacity, 0), 1)*255 + 0.5)
	}
	place := func(near, far *int, size, room int) int {
		switch {
		case near != nil:
			return *near
		case far != nil:
			return room - size - *far
		}
		return (room - size) / 2
	}
	w, h := layer.Rect.Dx(), layer.Rect.Dy()
	at := image.Pt(place(d.Left, d.Right, w, base.Rect.Dx()), place(d.Top, d.Bottom, h, base.Rect.Dy()))
	xs, ys := []int{at.X}, []int{at.Y}
	switch string(d.Repeat) {
	case "", "null", "false":
	case "true":
		xs, ys = tiles(at.X, w, base.Rect.Dx()), tiles(at.Y, h, base.Rect.Dy())
	case `"x"`:
		xs = tiles(at.X, w, base.Rect.Dx())
	case `"y"`:
		ys = tiles(at.Y, h, base.Rect.Dy())
	default:
		return nil, unsupported(`repeat is %s, expected true, false, "x" or "y"`, d.Repeat)
	}
	to := image.NewRGBA(base.Rect)
	copy(to.Pix, base.Pix)
	for _, y := range ys {
		for _, x := range xs {
			draw.DrawMask(to, layer.Rect.Add(image.Pt(x, y)), layer, image.Point{},
				image.NewUniform(color.Alpha{A: alpha}), image.Point{}, draw.Over)
		}
	}
	return to, nil
}

// tiles are the places along one side at which something of a size begins, through at.
func tiles(at, size, room int) []int {
	var list []int
	for at = ((at%size)+size)%size - size; at < room; at += size {
		list = append(list, at)
	}
	return list
}

// output encodes the answer as the form asks.
func output(p *image.RGBA, form map[string][]string) ([]byte, string, error) {
	value := func(name string) string {
		if v := form[name]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	if text := value("background"); text != "" {
		c, err := parseColor(text)
		if err != nil {
			return nil, "", err
		}
		p = flattened(p, c)
	}
	quality := 0
	if text := value("output_quality"); text != "" {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, "", malformed("Expected output quality to be a number, got %q", text)
		}
		quality = int(n)
	}
	format := value("output_format")
	switch format {
	case "rgb", "rgba":
		return nil, "", unsupported("RGB/RGBA output is not supported in local mode")
	case "":
		format = "image/jpeg"
	}
	body, err := write(p, format, quality)
	return body, format, err
}
