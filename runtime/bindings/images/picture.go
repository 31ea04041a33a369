package images

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // image.Decode reads it
)

// maxArea is how many pixels a picture may have, those that are read and those that a change makes.
const maxArea = 100_000_000

// problem is an error of the service with its number.
type problem struct {
	code, status int
	text         string
}

func (p problem) Error() string { return p.text }

func unsupported(format string, args ...any) error {
	return problem{9520, http.StatusUnsupportedMediaType, "ERROR: " + fmt.Sprintf(format, args...)}
}

func malformed(format string, args ...any) error {
	return problem{9523, http.StatusBadRequest, "ERROR: Internal Images binding error: " + fmt.Sprintf(format, args...)}
}

var tooLarge = problem{9413, http.StatusRequestEntityTooLarge,
	"ERROR: The image exceeds the maximum image area of 100 megapixels"}

// about is what info() tells of an image; Width is 0 for an SVG.
type about struct {
	Format string `json:"format"`
	Size   int    `json:"file_size,omitempty"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
}

// inspect reads the head of an image.
func inspect(data []byte) (about, error) {
	if isSVG(data) {
		return about{Format: "image/svg+xml"}, nil
	}
	if w, h, ok := sizeOfAVIF(data); ok {
		return about{"image/avif", len(data), w, h}, nil
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return about{}, unsupported("Unsupported image type, expected one of: JPEG, SVG, PNG, WebP, GIF or AVIF (%v)",
			err)
	}
	return about{"image/" + format, len(data), c.Width, c.Height}, nil
}

func isSVG(data []byte) bool {
	head := bytes.TrimLeft(data[:min(len(data), 1024)], "\ufeff \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<svg"))
}

// sizeOfAVIF finds the box that holds the size ("ispe": version and flags, width, height).
func sizeOfAVIF(data []byte) (w, h int, ok bool) {
	if len(data) < 12 || string(data[4:8]) != "ftyp" || !bytes.Contains(data[8:min(len(data), 64)], []byte("avif")) {
		return 0, 0, false
	}
	_, box, ok := bytes.Cut(data, []byte("ispe"))
	if !ok || len(box) < 12 {
		return 0, 0, false
	}
	return int(binary.BigEndian.Uint32(box[4:])), int(binary.BigEndian.Uint32(box[8:])), true
}

// read decodes an image, turned upright. A decoder that panics fails the image, not the session.
func read(data []byte) (p *image.RGBA, a about, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			p, err = nil, unsupported("the image cannot be decoded: %v", broken)
		}
	}()
	a, err = inspect(data)
	switch {
	case err != nil:
		return nil, a, err
	case a.Format == "image/svg+xml" || a.Format == "image/avif":
		return nil, a, unsupported("%s images cannot be transformed in local mode, expected JPEG, PNG, WebP or GIF",
			a.Format)
	case a.Width*a.Height > maxArea:
		return nil, a, tooLarge
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, a, unsupported("the image cannot be decoded: %v", err)
	}
	b := img.Bounds()
	p = image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(p, p.Bounds(), img, b.Min, draw.Src)
	if a.Format == "image/jpeg" {
		p = upright(p, orientation(data))
	}
	return p, a, nil
}

// write encodes a picture; quality 0 is the platform's own.
func write(p *image.RGBA, format string, quality int) ([]byte, error) {
	var to bytes.Buffer
	var err error
	switch format {
	case "image/jpeg":
		if quality == 0 {
			quality = 85
		}
		err = jpeg.Encode(&to, flattened(p, color.White), &jpeg.Options{Quality: min(max(quality, 1), 100)})
	case "image/png":
		err = png.Encode(&to, p)
	case "image/gif":
		err = gif.Encode(&to, p, nil)
	case "image/webp":
		err = nativewebp.Encode(&to, p, nil)
	default:
		return nil, unsupported("%s output is not supported in local mode, expected JPEG, PNG, WebP or GIF", format)
	}
	if err != nil {
		return nil, unsupported("the image cannot be written as %s: %v", format, err)
	}
	return to.Bytes(), nil
}

// flattened lays a picture on a colour.
func flattened(p *image.RGBA, c color.Color) *image.RGBA {
	if p.Opaque() {
		return p
	}
	to := image.NewRGBA(p.Bounds())
	draw.Draw(to, to.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	draw.Draw(to, to.Bounds(), p, image.Point{}, draw.Over)
	return to
}
