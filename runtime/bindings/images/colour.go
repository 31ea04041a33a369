package images

import (
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/colornames"
	"golang.org/x/image/draw"
)

// parseColor reads a colour of CSS: a name, #rgb, #rrggbb with or without alpha, rgb() and rgba().
func parseColor(text string) (color.Color, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if c, ok := colornames.Map[s]; ok {
		return c, nil
	}
	if s == "transparent" {
		return color.Transparent, nil
	}
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		if len(digits) == 3 || len(digits) == 4 {
			var long strings.Builder
			for _, d := range digits {
				long.WriteString(string(d) + string(d))
			}
			digits = long.String()
		}
		if b, err := hex.DecodeString(digits); err == nil && (len(b) == 3 || len(b) == 4) {
			return color.NRGBA{b[0], b[1], b[2], append(b, 255)[3]}, nil
		}
	}
	parts := strings.NewReplacer("rgba(", "", "rgb(", "", ")", "", ",", " ", "/", " ").Replace(s)
	var r, g, b float64
	a := 1.0
	if n, _ := fmt.Sscan(parts, &r, &g, &b, &a); n >= 3 && strings.HasPrefix(s, "rgb") {
		byteOf := func(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 255))) }
		return color.NRGBA{byteOf(r), byteOf(g), byteOf(b), byteOf(a * 255)}, nil
	}
	return nil, unsupported("%q is not a colour that is known here: expected a name, #rrggbb or rgb()", text)
}

// recoloured applies blur, brightness, contrast, gamma and saturation.
func (c change) recoloured(p *image.RGBA) *image.RGBA {
	if c.Blur > 0 {
		// A small copy that is made large again looks blurred, and costs the same for each radius.
		part := 1 + min(c.Blur, 250)/2
		side := func(n int) int { return max(int(float64(n)/part), 1) }
		small := image.NewRGBA(image.Rect(0, 0, side(p.Rect.Dx()), side(p.Rect.Dy())))
		draw.ApproxBiLinear.Scale(small, small.Rect, p, p.Rect, draw.Src, nil)
		blurred := image.NewRGBA(p.Rect)
		draw.CatmullRom.Scale(blurred, p.Rect, small, small.Rect, draw.Src, nil)
		p = blurred
	}
	if c.Brightness == nil && c.Contrast == nil && c.Gamma == nil && c.Saturation == nil {
		return p
	}
	factor := func(v *float64) float64 {
		if v == nil {
			return 1
		}
		return *v
	}
	brightness, contrast := factor(c.Brightness), factor(c.Contrast)
	gamma, saturation := factor(c.Gamma), factor(c.Saturation)
	var curve [256]float64
	for i := range curve {
		v := (float64(i)/255*brightness-0.5)*contrast + 0.5
		if v = min(max(v, 0), 1); gamma > 0 {
			v = math.Pow(v, gamma)
		}
		curve[i] = v * 255
	}
	straight := image.NewNRGBA(p.Rect)
	draw.Draw(straight, p.Rect, p, image.Point{}, draw.Src)
	for i := 0; i+3 < len(straight.Pix); i += 4 {
		px := straight.Pix[i : i+3]
		r, g, b := curve[px[0]], curve[px[1]], curve[px[2]]
		grey := 0.2126*r + 0.7152*g + 0.0722*b
		for j, v := range [3]float64{r, g, b} {
			px[j] = uint8(math.Round(min(max(grey+(v-grey)*saturation, 0), 255)))
		}
	}
	to := image.NewRGBA(p.Rect)
	draw.Draw(to, p.Rect, straight, image.Point{}, draw.Src)
	return to
}
