package images

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"golang.org/x/image/draw"
)

// change is one entry of `transforms`, or the options of cf.image.
type change struct {
	Width      *float64        `json:"width"`
	Height     *float64        `json:"height"`
	DPR        float64         `json:"dpr"`
	Rotate     float64         `json:"rotate"`
	Fit        string          `json:"fit"`
	Gravity    json.RawMessage `json:"gravity"`
	Background string          `json:"background"`
	Flip       string          `json:"flip"`
	Trim       json.RawMessage `json:"trim"`
	Blur       float64         `json:"blur"`
	Brightness *float64        `json:"brightness"`
	Contrast   *float64        `json:"contrast"`
	Gamma      *float64        `json:"gamma"`
	Saturation *float64        `json:"saturation"`
}

// unserved are the options of the platform that nobody does here.
var unserved = []string{"border", "segment", "sharpen", "upscale"}

// readChange reads the options of one change.
func readChange(data []byte) (change, error) {
	var c change
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return c, malformed("Expected JSON array of valid transforms in transforms field")
	}
	for _, name := range unserved {
		if all[name] != nil {
			return c, unsupported("the option %q is not supported in local mode: leave it out, or name a stand-in",
				name)
		}
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, malformed("Expected JSON array of valid transforms in transforms field")
	}
	if math.Mod(c.Rotate, 90) != 0 {
		return c, unsupported("rotate is %v, expected 90, 180 or 270", c.Rotate)
	}
	fits := []string{"", "scale-down", "contain", "cover", "crop", "pad", "squeeze"}
	if !slices.Contains(fits, c.Fit) {
		return c, unsupported("fit is %q, expected one of: %s", c.Fit, strings.Join(fits[1:], ", "))
	}
	return c, nil
}

// apply makes the changed picture, in the platform's order: cut, flip, turn, resize, recolour, background.
func (c change) apply(p *image.RGBA) (*image.RGBA, error) {
	p, err := c.trimmed(p)
	if err != nil {
		return nil, err
	}
	p = flip(p, strings.Contains(c.Flip, "h"), strings.Contains(c.Flip, "v"))
	p = rotate(p, int(math.Mod(c.Rotate, 360)))
	background, given := color.Color(color.White), c.Background != ""
	if given {
		if background, err = parseColor(c.Background); err != nil {
			return nil, err
		}
	}
	if c.Width != nil || c.Height != nil {
		if p, err = c.resized(p, background); err != nil {
			return nil, err
		}
	}
	p = c.recoloured(p)
	if given {
		p = flattened(p, background)
	}
	return p, nil
}

// trimmed cuts off the edges that trim names, or keeps the part that it names.
func (c change) trimmed(p *image.RGBA) (*image.RGBA, error) {
	if len(c.Trim) == 0 || string(c.Trim) == "null" {
		return p, nil
	}
	var edges struct{ Top, Left, Right, Bottom, Width, Height float64 }
	if err := json.Unmarshal(c.Trim, &edges); err != nil {
		return nil, unsupported("trim is %s, expected numbers of pixels: {top, left, right, bottom} or "+
			"{top, left, width, height}", c.Trim)
	}
	r := image.Rectangle{Min: image.Pt(int(edges.Left), int(edges.Top)), // it may be empty
		Max: p.Rect.Max.Sub(image.Pt(int(edges.Right), int(edges.Bottom)))}
	if edges.Width > 0 {
		r.Max.X = r.Min.X + int(edges.Width)
	}
	if edges.Height > 0 {
		r.Max.Y = r.Min.Y + int(edges.Height)
	}
	if r = r.Intersect(p.Rect); r.Empty() {
		return nil, unsupported("trim leaves nothing of an image of %d x %d", p.Rect.Dx(), p.Rect.Dy())
	}
	return cut(p, r), nil
}

func cut(p *image.RGBA, r image.Rectangle) *image.RGBA {
	to := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(to, to.Rect, p, r.Min, draw.Src)
	return to
}

// resized makes the picture fit the area that is asked for.
func (c change) resized(p *image.RGBA, background color.Color) (*image.RGBA, error) {
	sw, sh := float64(p.Rect.Dx()), float64(p.Rect.Dy())
	dpr := 1.0
	if c.DPR > 0 {
		dpr = c.DPR
	}
	w, h, both := 0.0, 0.0, c.Width != nil && c.Height != nil
	if c.Width != nil {
		w = math.Round(*c.Width * dpr)
	}
	if c.Height != nil {
		h = math.Round(*c.Height * dpr)
	}
	if c.Width != nil && !(w >= 1) || c.Height != nil && !(h >= 1) {
		return nil, unsupported("width and height are whole numbers of pixels from 1")
	}
	if w > maxArea || h > maxArea || w*h > maxArea {
		return nil, tooLarge
	}
	scaleX, scaleY := 1/(sw/w), 1/(sh/h) // of a side that is not given: 0; the reference's way, which rounds like this
	inside, cover := min(scaleX, scaleY), max(scaleX, scaleY)
	if !both {
		inside = cover
	}
	switch c.Fit {
	case "squeeze":
		if c.Width == nil {
			w = sw
		}
		if c.Height == nil {
			h = sh
		}
		return scaled(p, w, h)
	case "cover", "crop":
		if c.Fit == "crop" {
			cover = min(cover, 1)
		}
		full, err := scaled(p, sw*cover, sh*cover)
		if err != nil || !both {
			return full, err
		}
		fx, fy, err := c.focus()
		if err != nil {
			return nil, err
		}
		size := image.Pt(min(int(w), full.Rect.Dx()), min(int(h), full.Rect.Dy()))
		room := full.Rect.Size().Sub(size)
		at := image.Pt(int(float64(room.X)*fx+0.5), int(float64(room.Y)*fy+0.5))
		return cut(full, image.Rectangle{Min: at, Max: at.Add(size)}), nil
	case "pad":
		small, err := scaled(p, sw*inside, sh*inside)
		if err != nil || !both {
			return small, err
		}
		fx, fy, err := c.focus()
		if err != nil {
			return nil, err
		}
		to := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
		draw.Draw(to, to.Rect, image.NewUniform(background), image.Point{}, draw.Src)
		room := to.Rect.Size().Sub(small.Rect.Size())
		at := image.Pt(int(float64(room.X)*fx+0.5), int(float64(room.Y)*fy+0.5))
		draw.Draw(to, small.Rect.Add(at), small, image.Point{}, draw.Over)
		return to, nil
	case "contain":
		return scaled(p, sw*inside, sh*inside)
	}
	return scaled(p, sw*min(inside, 1), sh*min(inside, 1))
}

// focus is the point that a cut keeps, as parts of width and height; "auto" and "face" are the middle.
func (c change) focus() (x, y float64, err error) {
	var side string
	var point struct{ X, Y *float64 }
	switch {
	case len(c.Gravity) == 0 || string(c.Gravity) == "null":
	case json.Unmarshal(c.Gravity, &side) == nil:
	case json.Unmarshal(c.Gravity, &point) == nil:
		x, y = 0.5, 0.5
		if point.X != nil {
			x = min(max(*point.X, 0), 1)
		}
		if point.Y != nil {
			y = min(max(*point.Y, 0), 1)
		}
		return x, y, nil
	default:
		return 0, 0, unsupported("gravity is %s, expected a side or {x, y}", c.Gravity)
	}
	switch side {
	case "", "center", "auto", "face":
		return 0.5, 0.5, nil
	case "left":
		return 0, 0.5, nil
	case "right":
		return 1, 0.5, nil
	case "top":
		return 0.5, 0, nil
	case "bottom":
		return 0.5, 1, nil
	}
	return 0, 0, unsupported("gravity is %q, expected left, right, top, bottom, center, auto, face or {x, y}", side)
}

func scaled(p *image.RGBA, w, h float64) (*image.RGBA, error) {
	w, h = max(math.Round(w), 1), max(math.Round(h), 1)
	if w*h > maxArea {
		return nil, tooLarge
	}
	if int(w) == p.Rect.Dx() && int(h) == p.Rect.Dy() {
		return p, nil
	}
	to := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
	draw.CatmullRom.Scale(to, to.Rect, p, p.Rect, draw.Src, nil)
	return to, nil
}
