package fetch

import (
	"bytes"
	"strings"
	"testing"
)

func TestFormData(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`(f => { f.append("a", "1"); f.append("b", "2"); f.append("a", new Blob(["x"])); f.set("b", 3); ` +
			`return [f.get("a"), f.getAll("a").length, f.getAll("a")[1].name, f.get("b"), f.has("c"), ` +
			`[...f.keys()]].join() })(new FormData)`, "1,2,a,3,false,a,b,a"},
		{`(f => { f.append("a", "1"); f.append("a", "2"); f.set("a", "3"); f.delete("b"); ` +
			`return [...f].join("|") })(new FormData)`, "a,3"},
		{`(f => { f.append("a", new File(["x"], "n.txt", {type: "t/y", lastModified: 5})); const g = f.get("a"); ` +
			`return [g.name, g.type, g.lastModified, g instanceof Blob, f.get("none")].join() })(new FormData)`,
			"n.txt,t/y,5,true,"},
		{`(f => { f.append("a", new Blob(["x"]), "given"); return f.get("a").name })(new FormData)`, "given"},
		{`(f => { const seen = []; f.append("a", "1"); f.forEach((v, k, o) => { ` +
			`seen.push(k + v + (o === f)); if (seen.length < 3) f.append("b", "2") }); ` +
			`return seen.join() })(new FormData)`, "a1true,b2true,b2true"},
		{`(async f => { f.append("text", 'q"\n\\u');
			f.append("file", new File([new Uint8Array([0, 255, 13, 10])], "f.bin"));
			const r = new Response(f); const g = await r.formData();
				return [r.headers.get("content-type").slice(0, 30), g.get("text"), g.get("file").name,
				g.get("file").type, (await g.get("file").bytes()).join(" ")].join("|") })(new FormData)`,
			"multipart/form-data; boundary=|q\"\n\\u|f.bin|application/octet-stream|0 255 13 10"},
		{`new Response("a=1&b=x%20y", ` +
			`{headers: {"content-type": "application/x-www-form-urlencoded"}}).formData().then(f => f.get("b"))`,
			"x y"},
		{`new Response("a").formData()`, "throws TypeError: Unrecognized Content-Type header value. FormData can " +
			"only parse the following MIME types: multipart/form-data, application/x-www-form-urlencoded"},
		{`new Response(new Uint8Array(1)).formData()`,
			"throws TypeError: Parsing a Body as FormData requires a Content-Type header."},
		{`new Response("a=b", ` +
			`{headers: {"content-type": "application/x-www-form-urlencoded;charset=latin1"}}).formData()`,
			"throws TypeError: Non-utf-8 application/x-www-form-urlencoded body."},
	})
}

func TestMultipartRefusals(t *testing.T) {
	const head = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
	for body, want := range map[string]string{
		"":                     "No initial boundary string (or you have a truncated message).",
		"--b":                  "No initial boundary string (or you have a truncated message).",
		"--bx":                 "Boundary string was not succeeded by CRLF, LF, or '--'.",
		"--b\r\nA: b":          "No multipart message header termination found.",
		"--b\r\nnope\r\n\r\nx": "FormData part had invalid headers.",
		"--b\r\nA: b\r\n\r\nx": "No valid Content-Disposition header found in FormData part.",
		head + "x":             "No subsequent boundary string after multipart message.",
		strings.Replace(head, "form-data", "file", 1) +
			"x\r\n--b--": `Content-Disposition header for FormData part must have the value "form-data", possibly ` +
			`followed by parameters. Got: "file"`,
		strings.Replace(head, `name="a"`, `name=""`, 1) +
			"x\r\n--b--": "Content-Disposition header in FormData part is missing a name.",
		strings.Replace(head, "form-data", ";", 1) +
			"x\r\n--b--": "Invalid Content-Disposition header found in FormData part.",
	} {
		if _, err := parseMultipart([]byte(body), "b"); err == nil || err.Error() != want {
			t.Errorf("%q: %v", body, err)
		}
	}
	// Lines may end in LF alone; a preamble and an epilogue do not count; a file input without a file is a text.
	parts, err := parseMultipart(
		[]byte("pre\n--b\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\nContent-Type: x/y\n\nv\n--b--\n"+
			"after"), "b")
	if err != nil || len(parts) != 1 || parts[0].isFile || string(parts[0].data) != "v" {
		t.Errorf("%+v %v", parts, err)
	}
}

// What is written is read back; what is read never panics.
func FuzzMultipart(f *testing.F) {
	f.Add("name", "file.txt", []byte("data\r\n--"),
		[]byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--"))
	f.Add("q\"\\u", "", []byte{}, []byte("--b--"))
	f.Fuzz(func(t *testing.T, name, filename string, data, raw []byte) {
		const boundary = "0123456789abcdef0123456789abcdef"
		_, _ = parseMultipart(raw, "b")
		want := part{name: name, filename: filename, isFile: filename != "", data: data}
		body, err := encodeMultipart([]part{want}, boundary)
		if err != nil || strings.ContainsAny(name+filename, "\"\r\n") || name == "" ||
			bytes.Contains(data, []byte(boundary)) {
			return
		}
		got, err := parseMultipart(body, boundary)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].name != name || got[0].filename != filename || !bytes.Equal(got[0].data, data) &&
			!bytes.Equal(got[0].data, bytes.TrimSuffix(data, []byte("\r"))) {
			t.Fatalf("%q\n got %+v\nwant %+v", body, got, want)
		}
	})
}
