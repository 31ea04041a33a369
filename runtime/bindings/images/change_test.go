package images

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
)

// quarters is a picture whose quarters are red, green (right), blue (below) and white.
func quarters(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 0, 0, 255}
			switch {
			case x >= w/2 && y >= h/2:
				c = color.RGBA{255, 255, 255, 255}
			case x >= w/2:
				c = color.RGBA{0, 255, 0, 255}
			case y >= h/2:
				c = color.RGBA{0, 0, 255, 255}
			}
			p.SetRGBA(x, y, c)
		}
	}
	return p
}

// corners are the size of a picture and the letters of its corners: upper left, upper right, lower left, lower right.
func corners(p *image.RGBA) string {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	text := fmt.Sprintf("%dx%d ", w, h)
	for _, at := range []image.Point{{}, {X: w - 1}, {Y: h - 1}, {X: w - 1, Y: h - 1}} {
		c, letter := p.RGBAAt(at.X, at.Y), "?"
		for name, want := range map[string]color.RGBA{"r": {255, 0, 0, 255}, "g": {0, 255, 0, 255},
			"b": {0, 0, 255, 255},
			"w": {255, 255, 255, 255}, "k": {0, 0, 0, 255}} {
			if c == want {
				letter = name
			}
		}
		text += letter
	}
	return text
}

// What each option does to a picture of 40 x 20 (BIND-90).
func TestChange(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{`{}`, "40x20 rgbw"},
		{`{"width": 20}`, "20x10 rgbw"},
		{`{"height": 10}`, "20x10 rgbw"},
		{`{"width": 13}`, "13x6 rgbw"}, // 6.5, as the reference rounds
		{`{"width": 80}`, "40x20 rgbw"},
		{`{"width": 80, "fit": "contain"}`, "80x40 rgbw"},
		{`{"width": 10, "height": 10}`, "10x5 rgbw"},
		{`{"width": 10, "height": 10, "dpr": 2}`, "20x10 rgbw"},
		{`{"width": 20, "height": 20, "fit": "cover"}`, "20x20 rgbw"},
		{`{"width": 20, "height": 20, "fit": "cover", "gravity": "left"}`, "20x20 rrbb"},
		{`{"width": 20, "height": 20, "fit": "crop", "gravity": "right"}`, "20x20 ggww"},
		{`{"width": 40, "height": 10, "fit": "cover", "gravity": "top"}`, "40x10 rgrg"},
		{`{"width": 40, "height": 10, "fit": "cover", "gravity": {"y": 1}}`, "40x10 bwbw"},
		{`{"width": 60, "height": 30, "fit": "crop"}`, "40x20 rgbw"},
		{`{"width": 60, "height": 30, "fit": "cover"}`, "60x30 rgbw"},
		{`{"width": 40, "height": 40, "fit": "pad"}`, "40x40 wwww"},
		{`{"width": 40, "height": 40, "fit": "pad", "background": "#000"}`, "40x40 kkkk"},
		{`{"width": 40, "height": 40, "fit": "pad", "background": "black", "gravity": "top"}`, "40x40 rgkk"},
		{`{"width": 7, "height": 30, "fit": "squeeze"}`, "7x30 rgbw"},
		{`{"rotate": 90}`, "20x40 brwg"},
		{`{"rotate": 180}`, "40x20 wbgr"},
		{`{"rotate": -90}`, "20x40 gwrb"},
		{`{"flip": "h"}`, "40x20 grwb"},
		{`{"flip": "hv"}`, "40x20 wbgr"},
		{`{"trim": {"left": 20, "bottom": 10}}`, "20x10 gggg"},
		{`{"trim": {"left": 10, "top": 10, "width": 10, "height": 5}}`, "10x5 bbbb"},
		{`{"brightness": 0}`, "40x20 kkkk"},
		{`{"saturation": 1, "gamma": 1, "contrast": 1}`, "40x20 rgbw"},
		{`{"blur": 0}`, "40x20 rgbw"},
		{`{"width": 20000, "height": 20000, "fit": "squeeze"}`, "exceeds the maximum image area"},
		{`{"width": 0}`, "whole numbers of pixels"},
		{`{"width": "1"}`, "Expected JSON array of valid transforms"},
		{`{"fit": "snug"}`, `fit is "snug", expected one of: scale-down`},
		{`{"rotate": 45}`, "rotate is 45, expected 90"},
		{`{"sharpen": 3}`, `the option "sharpen" is not supported in local mode`},
		{`{"trim": {"left": 30, "right": 30}}`, "trim leaves nothing of an image of 40 x 20"},
		{`{"width": 1, "height": 1, "fit": "pad", "background": "soft"}`, `"soft" is not a colour`},
		{`{"width": 1, "height": 1, "fit": "cover", "gravity": "up"}`, `gravity is "up", expected left`},
	} {
		got := ""
		change, err := readChange(json.RawMessage(c.options))
		if err == nil {
			var p *image.RGBA
			if p, err = change.apply(quarters(40, 20)); err == nil {
				got = corners(p)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %q, want %q", c.options, got, c.want)
		}
	}
}

// A layer is where its options say, as often and as strong as they say (BIND-90).
func TestDraw(t *testing.T) {
	black := image.NewRGBA(image.Rect(0, 0, 10, 10))
	for i := 3; i < len(black.Pix); i += 4 {
		black.Pix[i] = 255
	}
	for options, want := range map[string]string{
		`{}`:                            "40x20 rgbw",
		`{"top": 0, "left": 0}`:         "40x20 kgbw",
		`{"bottom": 0, "right": 0}`:     "40x20 rgbk",
		`{"top": 0, "right": -5}`:       "40x20 rkbw",
		`{"repeat": true}`:              "40x20 kkkk",
		`{"repeat": "x", "top": 0}`:     "40x20 kkbw",
		`{"repeat": "y", "left": 0}`:    "40x20 kgkw",
		`{"repeat": true, "opacity":0}`: "40x20 rgbw",
	} {
		step := strings.Replace(options, "{", `{"drawImageIndex": 1, "targetImageIndex": 0,`, 1)
		step = strings.Replace(step, ",}", "}", 1)
		pictures := []*image.RGBA{quarters(40, 20), black}
		if err := transform(pictures, "["+step+"]"); err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		if got := corners(pictures[0]); got != want {
			t.Errorf("%s: got %s, want %s", options, got, want)
		}
	}
}
