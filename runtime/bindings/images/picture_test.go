package images

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"testing"
)

// What is written in each format is read again, with its head (BIND-92).
func TestFormats(t *testing.T) {
	for _, format := range []string{"image/jpeg", "image/png", "image/gif", "image/webp"} {
		data, err := write(quarters(16, 8), format, 0)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		p, a, err := read(data)
		if err != nil || a != (about{format, len(data), 16, 8}) {
			t.Errorf("%s: %+v %v", format, a, err)
			continue
		}
		if format == "image/png" || format == "image/webp" { // the others lose some
			if got := corners(p); got != "16x8 rgbw" {
				t.Errorf("%s: %s", format, got)
			}
		}
	}
	if _, err := write(quarters(2, 2), "image/avif", 0); err == nil {
		t.Error("AVIF was written")
	}
}

// A photo that was taken with the camera turned is upright; each orientation brings the same picture back.
func TestOrientation(t *testing.T) {
	upside := quarters(40, 20)
	for n, undone := range map[int]*image.RGBA{1: upside, 2: flip(upside, true, false), 3: rotate(upside, 180),
		4: flip(upside, false, true), 5: flip(rotate(upside, 90), true, false), 6: rotate(upside, 270),
		7: flip(rotate(upside, 270), true, false), 8: rotate(upside, 90)} {
		if got := corners(upright(undone, n)); got != "40x20 rgbw" {
			t.Errorf("orientation %d: %s", n, got)
		}
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, quarters(40, 20), nil); err != nil {
		t.Fatal(err)
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		tiff := []byte("II*\x00")
		if order.String() == "BigEndian" {
			tiff = []byte("MM\x00*")
		}
		tiff = order.AppendUint16(order.AppendUint32(tiff, 8), 1)
		tiff = order.AppendUint32(order.AppendUint16(order.AppendUint16(tiff, 0x112), 3), 1)
		tiff = append(order.AppendUint16(tiff, 6), 0, 0, 0, 0, 0, 0)
		exif := append([]byte("Exif\x00\x00"), tiff...)
		head := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
		turned := append(append(head, exif...), photo.Bytes()[2:]...)
		p, a, err := read(turned)
		if err != nil || a.Width != 40 || p.Rect.Dx() != 20 || p.Rect.Dy() != 40 {
			t.Errorf("%s: %+v %v", order, a, err)
		}
	}
}

// No bytes bring the session down: they are an image, or an error of the service.
func FuzzRead(f *testing.F) {
	for _, format := range []string{"image/jpeg", "image/png", "image/gif", "image/webp"} {
		data, err := write(quarters(8, 8), format, 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("<svg/>"))
	f.Add([]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00ispe\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := inspect(data); err != nil || a.Width*a.Height > 1<<20 {
			return
		}
		p, a, err := read(data)
		if err == nil && (p.Rect.Empty() || a.Format == "") {
			t.Errorf("%+v has no pixels", a)
		}
	})
}
