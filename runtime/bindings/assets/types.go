package assets

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

// typesText has a media type on each line, and the extensions that mean it. They are those of wrangler dev, whose table
// is mime-db's; the machine's own table would differ from machine to machine.
//
//go:embed types.txt
var typesText string

var typesByExtension = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	for line := range strings.Lines(typesText) {
		fields := strings.Fields(line)
		for _, extension := range fields[1:] {
			types[extension] = fields[0]
		}
	}
	return types
})

// contentType is the type by a file's name, "" for none: a name that only begins with a dot has no extension.
func contentType(name string) string {
	base := strings.ToLower(path.Base(name))
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return ""
	}
	t := typesByExtension()[base[dot+1:]]
	if strings.HasPrefix(t, "text/") {
		t += "; charset=utf-8"
	}
	return t
}
