//go:build unix

package servers

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"eddy/runtime/cachedir"
)

// A new PostgreSQL's data are the same for every server of a version, and initdb computes longer for them than most
// tests do with them. What it has made is therefore kept, as one file, in a folder of the user's caches: the servers of
// all processes begin with it. They have one system identifier; nobody but a standby looks at it.

// templatesLimit holds the data of a few versions.
const templatesLimit = 256 << 20

// template is the file of the data that a program makes with arguments; "" if this user has no folder for it.
func template(folder, program string, args []string) string {
	info, err := os.Stat(program)
	if err != nil || folder == "" || !cachedir.Open(folder) {
		return ""
	}
	made := crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d %d %q", program, info.Size(), info.ModTime().UnixNano(), args))
	return filepath.Join(folder, fmt.Sprintf("postgres-%08x", made))
}

// templates is the folder in which they are kept.
func templates() string {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "" // a process without a home keeps nothing
	}
	return filepath.Join(caches, "eddy-tests", "servers")
}

// keepTemplate keeps a folder as it is. What cannot be kept is made again.
func keepTemplate(file, data string) {
	if file == "" {
		return
	}
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if errors.Join(w.AddFS(os.DirFS(data)), w.Close()) != nil {
		return
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(packed.Bytes()))
	if cachedir.Write(filepath.Dir(file), filepath.Base(file), packed.Bytes(), sum) == nil {
		cachedir.Prune(filepath.Dir(file), templatesLimit, time.Now())
	}
}

// fromTemplate makes a folder of what was kept, for a user, or for this one if uid is negative. It is false if nothing
// was kept, or half of it: then the folder is not there.
func fromTemplate(file, data string, uid, gid int) bool {
	kept, err := os.ReadFile(file)
	if err != nil || len(kept) < crc32.Size {
		return false
	}
	packed, sum := kept[:len(kept)-crc32.Size], kept[len(kept)-crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(packed) {
		return false
	}
	if unpack(packed, data, uid, gid) != nil {
		_ = os.RemoveAll(data) // if something stays, initdb says so
		return false
	}
	return true
}

func unpack(packed []byte, data string, uid, gid int) error {
	give := func(path string) error {
		if uid < 0 {
			return nil
		}
		return os.Chown(path, uid, gid)
	}
	if err := errors.Join(os.Mkdir(data, 0o700), give(data)); err != nil {
		return err
	}
	r := tar.NewReader(bytes.NewReader(packed))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(data, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			text := make([]byte, h.Size)
			if _, err = io.ReadFull(r, text); err == nil {
				err = os.WriteFile(path, text, 0o600)
			}
		}
		if err = errors.Join(err, give(path)); err != nil {
			return err
		}
	}
}
