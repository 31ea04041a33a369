package fetch

import "testing"

func TestBlob(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`(b => [b.size, b.type].join())(new Blob(["aé", new Uint8Array([1, 2]), new Blob(["z"])], {type: "A/B"}))`,
			"6,a/b"},
		{`new Blob([5, {}]).text()`, "5[object Object]"},
		{`new Blob(["abcdef"]).slice(1, -1, "X/y").text()`, "bcde"},
		{`new Blob(["abcdef"]).slice(-2).text()`, "ef"},
		{`new Blob(["abc"]).slice(2, 1).size + new Blob(["a"]).slice(0, 1, "X").type`, "0x"},
		{`new Blob(["ab"]).arrayBuffer().then(b => b.byteLength)`, "2"},
		{`new Blob(["ab"]).bytes().then(b => { b[0] = 0; return b.constructor.name })`, "Uint8Array"},
		{`new Response(new Blob(["stream"]).stream()).text()`, "stream"},
		{`new Blob([new Uint8Array([0xe2, 0x82, 0x41])]).text()`, "\uFFFDA"},
		{`new Blob([], {endings: "native"})`, "throws Error: The 'endings' field on 'Options' is not implemented."},
		{`new Blob("no")`,
			"throws TypeError: Failed to construct 'Blob': constructor parameter 1 is not of type 'Array'."},
		{`(f => [f.name, f.size, f.lastModified === Date.now(), f instanceof Blob].join())(new File(["x"], "n"))`,
			"n,1,true,true"},
		{`new File(["x"])`,
			"throws TypeError: Failed to construct 'File': constructor parameter 2 is not of type 'string'."},
	})
}
