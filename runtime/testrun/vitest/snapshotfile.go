package vitest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// snapshotHead is the first line of a file of snapshots (TEST-112).
const snapshotHead = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html"

// SnapshotFile is where the snapshots of a test file are.
func SnapshotFile(test string) string {
	return filepath.Join(filepath.Dir(test), "__snapshots__", filepath.Base(test)+".snap")
}

// ReadSnapshots reads a file of snapshots; one that is not there has none. Anything but a list of entries
// exports[`key`] = `value`; is refused with its line.
func ReadSnapshots(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	entries, at, ok := parseSnapshots(string(data))
	if !ok {
		return nil, fmt.Errorf("%s:%d: expected exports[`name`] = `value`; run with -u to write the file anew", file,
			strings.Count(string(data[:at]), "\n")+1)
	}
	return entries, nil
}

// parseSnapshots reads the text; at is where it is wrong.
func parseSnapshots(text string) (entries map[string]string, at int, ok bool) {
	entries = map[string]string{}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for at < len(text) {
		rest := text[at:]
		switch {
		case unicode.IsSpace(rune(rest[0])):
			at++
			continue
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return entries, at, true
			}
			at += end
			continue
		case !strings.HasPrefix(rest, "exports[`"):
			return nil, at, false
		}
		key, next, found := templateText(text, at+len("exports["))
		if !found || !strings.HasPrefix(text[next:], "] = `") {
			return nil, at, false
		}
		value, end, found := templateText(text, next+len("] = "))
		if !found || !strings.HasPrefix(text[end:], ";") {
			return nil, at, false
		}
		entries[key] = value
		at = end + 1
	}
	return entries, at, true
}

// templateText reads the template literal at an offset.
func templateText(text string, at int) (value string, end int, ok bool) {
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '`':
			return b.String(), i + 1, true
		case '\\':
			i++
			if i == len(text) {
				return "", i, false
			}
			switch text[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '\n':
			default:
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return "", len(text), false
}

// templateLiteral writes text as a template literal (TEST-113).
func templateLiteral(text string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", `\${`).Replace(text) + "`"
}

// WriteSnapshots writes a file of snapshots, or removes it when there are none.
func WriteSnapshots(file string, entries map[string]string) error {
	if len(entries) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	keys := make([]string, 0, len(entries))
	for k := range entries {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, naturalOrder)
	var b strings.Builder
	b.WriteString(snapshotHead + "\n")
	for _, k := range keys {
		fmt.Fprintf(&b, "\nexports[%s] = %s;\n", templateLiteral(k), templateLiteral(entries[k]))
	}
	return writeWhole(file, b.String())
}

// writeWhole replaces a file, so that nobody ever reads a half of it.
func writeWhole(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// naturalOrder compares runs of digits as numbers.
func naturalOrder(a, b string) int {
	digits := func(s string) int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	return len(a) - len(b)
}
