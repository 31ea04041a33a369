package objectstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestValues(t *testing.T) {
	v := Values{Dir: filepath.Join(t.TempDir(), "blobs")}
	name, err := v.Write(strings.NewReader("one"), time.UnixMilli(0x1a1fc76c738))
	if err != nil {
		t.Fatal(err)
	}
	if len(name) != 80 || name[64:] != "000001a1fc76c738" {
		t.Errorf("the name is %s", name)
	}
	if b, err := os.ReadFile(v.File(name)); err != nil || string(b) != "one" {
		t.Errorf("%s, %v", b, err)
	}
	if err := v.Remove(name, name, "never"); err != nil {
		t.Errorf("removing twice: %v", err)
	}
	// An index that another program wrote cannot point outside of the directory.
	if got := v.File("../../etc/passwd"); filepath.Dir(got) != v.Dir {
		t.Errorf("a name leads to %s", got)
	}
}
