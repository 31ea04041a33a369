package explorer

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"eddy/runtime/journal"
	"eddy/runtime/lazyregexp"
)

// Replay runs captured events, the lines of a file, again through the project's Workers, apart from the session, and
// says for people what became of them. differs says that something came otherwise.
type Replay func(ctx context.Context, lines []byte) (text string, differs bool, err error)

// ReplayPage is the model of a replay.
type ReplayPage struct {
	Trace   string `json:"trace"`
	Differs bool   `json:"differs"`
	Text    string `json:"text"`
}

func (x *Server) capturePages() []page {
	return []page{of("replays/{key}", "replay", "What became of a trace that was replayed.",
		func(r *http.Request) (*ReplayPage, error) {
			if p, ok := x.replays.get(r.PathValue("key")); ok {
				return p, nil
			}
			return nil, missing("this replay is forgotten: the latest %d are kept", mostKept)
		})}
}

// captured are the lines of a trace, as eddy capture writes them.
func (x *Server) captured(id string) ([]byte, error) {
	id = strings.ToLower(id)
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, refused("the id of a trace has 32 hexadecimal digits")
	}
	var lines bytes.Buffer
	err := x.window.read(x.done, func(e *journal.Entry) error {
		if hex.EncodeToString(e.Trace[:]) != id {
			return nil
		}
		line, err := e.Line().Marshal()
		lines.Write(line)
		return err
	})
	if err == nil && lines.Len() == 0 {
		err = missing("no event of trace %s is recorded", id)
	}
	return lines.Bytes(), err
}

// capture gives a trace as a file.
func (x *Server) capture(w http.ResponseWriter, r *http.Request) {
	lines, err := x.captured(r.PathValue("id"))
	if err != nil {
		x.refuse(w, r, err)
		return
	}
	header(w)
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="`+r.PathValue("id")[:12]+`.replay.jsonl"`)
	_, _ = w.Write(lines) // the visitor has gone
}

func (x *Server) captureActs() []act {
	return []act{
		{path: "traces/{id}/replay", about: "Runs the events of a trace again, apart from the session, and compares " +
			"what " +
			"becomes of them.", do: func(in input) (string, string, error) {
			if x.o.Replay == nil {
				return "", "", refused("this session cannot replay")
			}
			lines, err := x.captured(in.path("id"))
			if err != nil {
				return "", "", err
			}
			text, differs, err := x.o.Replay(in.ctx, lines)
			if err != nil {
				return "", "", refused("%v", err)
			}
			said := "everything came as it was recorded"
			if differs {
				said = "something came otherwise"
			}
			key := x.replays.keep(&ReplayPage{Trace: in.path("id"), Differs: differs, Text: text})
			return said, Base + "replays/" + key, nil
		}},
		{path: "traces/{id}/regression", about: "Writes a trace into a file of the project, which eddy test runs " +
			"from then " +
			"on.", fields: []field{{"name", "of the file, without .replay.jsonl"}}, do: x.regression},
	}
}

// fileName matches what a regression file may be called.
var fileName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$`)

func (x *Server) regression(in input) (string, string, error) {
	name := strings.TrimSuffix(in.get("name"), ".replay.jsonl")
	if !fileName.MatchString(name) {
		return "", "", refused("%q: a file's name has letters, digits, dots and hyphens", name)
	}
	lines, err := x.captured(in.path("id"))
	if err != nil {
		return "", "", err
	}
	workers := x.o.Workers()
	if len(workers) == 0 {
		return "", "", refused("no Worker runs, so there is no project to write into")
	}
	path := filepath.Join(workers[0].Config.ProjectDir, name+".replay.jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return "", "", refused("%s is there already: choose another name", path)
	}
	if err != nil {
		return "", "", err
	}
	_, err = f.Write(lines)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", "", errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(path))
	}
	return "wrote " + path + ", which eddy test runs", "", nil
}
