package explorer

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"eddy/runtime/lazyregexp"
)

// CodeFrame is the place of an error in the user's own file, with the lines around it.
type CodeFrame struct {
	File  string     `json:"file"`
	Line  int        `json:"line"`
	Lines []CodeLine `json:"lines"`
}

// CodeLine is a line of a file. Here says that the error was there.
type CodeLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Here   bool   `json:"here,omitempty"`
}

// around is how many lines are shown before and after the one of the error.
const around = 2

// placeOf finds FILE:LINE:COLUMN in a line of a stack.
var placeOf = lazyregexp.New(`\(?((?:file://)?[^\s()]+):(\d+):(\d+)\)?$`)

// frame reads the first place of a stack that is a file of the Worker's project; nil if there is none. Only files of
// projects that the session runs are read.
func (x *Server) frame(worker, stack string) *CodeFrame {
	dir := ""
	for _, w := range x.o.Workers() {
		if w.Name == worker {
			dir = w.Config.Dir
		}
	}
	if dir == "" {
		return nil
	}
	for line := range strings.Lines(stack) {
		m := placeOf.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		file := strings.TrimPrefix(m[1], "file://")
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		rel, err := filepath.Rel(dir, file)
		number, bad := strconv.Atoi(m[2])
		if err != nil || bad != nil || !filepath.IsLocal(rel) || strings.Contains(rel, "node_modules") {
			continue
		}
		if f := readFrame(file, rel, number); f != nil {
			return f
		}
	}
	return nil
}

func readFrame(file, name string, line int) *CodeFrame {
	in, err := os.Open(file)
	if err != nil {
		return nil // the file has gone since
	}
	defer in.Close()
	f := &CodeFrame{File: filepath.ToSlash(name), Line: line}
	scan := bufio.NewScanner(in)
	for n := 1; n <= line+around && scan.Scan(); n++ {
		if n >= line-around {
			f.Lines = append(f.Lines, CodeLine{n, scan.Text(), n == line})
		}
	}
	if len(f.Lines) == 0 {
		return nil
	}
	return f
}
