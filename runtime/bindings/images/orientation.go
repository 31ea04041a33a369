package images

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is the tag of that name in a JPEG's EXIF data, 1 (upright) if there is none.
func orientation(data []byte) int {
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; {
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if size < 2 || size+2 > len(rest) {
			break
		}
		if tiff, ok := bytes.CutPrefix(rest[4:2+size], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return orientationTag(tiff)
		}
		rest = rest[2+size:]
	}
	return 1
}

// orientationTag looks for tag 0x112 in the first directory of a TIFF.
func orientationTag(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 0 || at+2 > len(tiff) {
		return 1
	}
	for n := int(order.Uint16(tiff[at:])); n > 0; n-- {
		entry := at + 2 + 12*(n-1)
		if entry+12 <= len(tiff) && order.Uint16(tiff[entry:]) == 0x112 {
			return int(order.Uint16(tiff[entry+8:]))
		}
	}
	return 1
}

// upright undoes an orientation.
func upright(p *image.RGBA, orientation int) *image.RGBA {
	switch orientation {
	case 2:
		return flip(p, true, false)
	case 3:
		return rotate(p, 180)
	case 4:
		return flip(p, false, true)
	case 5:
		return rotate(flip(p, true, false), 270)
	case 6:
		return rotate(p, 90)
	case 7:
		return rotate(flip(p, true, false), 90)
	case 8:
		return rotate(p, 270)
	}
	return p
}

// remade makes a picture of another size from the pixels of p that from names.
func remade(p *image.RGBA, w, h int, from func(x, y int) (int, int)) *image.RGBA {
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := from(x, y)
			i := p.PixOffset(fx, fy)
			copy(to.Pix[to.PixOffset(x, y):][:4], p.Pix[i:i+4])
		}
	}
	return to
}

func flip(p *image.RGBA, horizontally, vertically bool) *image.RGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	return remade(p, w, h, func(x, y int) (int, int) {
		if horizontally {
			x = w - 1 - x
		}
		if vertically {
			y = h - 1 - y
		}
		return x, y
	})
}

// rotate turns clockwise by a multiple of 90 degrees.
func rotate(p *image.RGBA, degrees int) *image.RGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	switch ((degrees % 360) + 360) % 360 {
	case 90:
		return remade(p, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	case 180:
		return flip(p, true, true)
	case 270:
		return remade(p, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
	}
	return p
}
