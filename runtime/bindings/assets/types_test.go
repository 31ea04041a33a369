package assets

import "testing"

// Content types are those of wrangler dev, whatever the machine's table says; looked up in the reference.
func TestContentTypes(t *testing.T) {
	for name, want := range map[string]string{
		"/f.js": "text/javascript; charset=utf-8", "/f.mjs": "text/javascript; charset=utf-8", "/f.ts": "video/mp2t",
		"/f.xml": "application/xml",
		"/f.ico": "image/vnd.microsoft.icon", "/f.wav": "audio/wav", "/f.m4a": "audio/mp4",
		"/f.yaml": "text/yaml; charset=utf-8",
		"/f.rtf":  "application/rtf", "/f.jsx": "text/jsx; charset=utf-8", "/f.scss": "text/x-scss; charset=utf-8",
		"/f.stl": "model/stl",
		"/f.obj": "model/obj", "/f.php": "application/x-httpd-php", "/f.sql": "application/sql", "/noext": "",
		"/.html": "", "/d/.html": "",
		"/a.b.json": "application/json", "/f.cjs": "application/node", "/f.HTML": "text/html; charset=utf-8",
		"/f.exe": "application/octet-stream",
		"/f.bmp": "image/bmp", "/f.deb": "application/octet-stream", "/a.html/b": "",
	} {
		if got := contentType(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
