package explorer

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing"
)

const idiomorphSum = "4cbd535caf7663a51eda9bce6595371c384fc430d54b8d414e29a61167f19f96"

// All that the pages are made of is small, and Idiomorph is the file that its authors released: version 0.8.0 from npm,
// dist/idiomorph.min.js, under the licence beside it.
func TestAssets(t *testing.T) {
	total := 0
	for _, files := range []fs.FS{pageFiles, assetFiles} {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(files, path)
			total += len(b)
			if strings.HasPrefix(path, "idiomorph") {
				sum := sha256.Sum256(b)
				if got := hex.EncodeToString(sum[:]); got != idiomorphSum {
					t.Errorf("%s has the checksum %s", path, got)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if total > 100_000 {
		t.Errorf("the pages and what they load have %d bytes, more than 100,000", total)
	}
}

// Every template can be parsed.
func TestTemplates(t *testing.T) {
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html")
		if name == "frame" || name == "parts" {
			continue
		}
		if _, err := parsed(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
