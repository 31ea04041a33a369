package containerstest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// process is one of a container. It knows three commands: upper makes its input upper case, with a line on the standard
// error for each of it, and exits with 3; env shows its variables; sleep waits for a signal.
type process struct {
	box  *box
	args []string
	file string // its number is written there
	env  []string
	tty  bool
	over chan struct{}
	once sync.Once
	code int
}

func (p *process) end(code int) {
	p.once.Do(func() { p.code = code; close(p.over) })
}

func (e *Engine) routeExec(mux *http.ServeMux, handle func(string, func(*http.Request) (any, int, string))) {
	handle("POST /containers/{id}/exec", e.withBox(func(b *box, r *http.Request) (any, int, string) {
		var request struct {
			Cmd, Env []string
			Tty      bool //nolint:revive // the engine's name
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			return nil, 400, err.Error()
		}
		p := &process{box: b, env: request.Env, tty: request.Tty, over: make(chan struct{})}
		script := request.Cmd[2]
		if file, ok := strings.CutPrefix(script, "echo $$ > "); ok {
			p.file, _, _ = strings.Cut(file, ";")
			p.args = request.Cmd[4:]
		} else {
			p.args = []string{script}
		}
		e.next++
		id := fmt.Sprintf("exec%d", e.next)
		e.execs[id] = p
		return map[string]string{"Id": id}, 201, ""
	}))
	handle("GET /exec/{id}/json", func(r *http.Request) (any, int, string) {
		p := e.process(r)
		select {
		case <-p.over:
			return map[string]any{"Running": false, "ExitCode": p.code, "Pid": 42}, 200, ""
		default:
			return map[string]any{"Running": true, "Pid": 42}, 200, ""
		}
	})
	mux.HandleFunc("POST /exec/{id}/start", func(w http.ResponseWriter, r *http.Request) {
		p := e.process(r)
		if strings.HasPrefix(p.args[0], "kill -") {
			e.signal(p.args[0])
			p.end(0)
			w.WriteHeader(http.StatusOK)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
		p.run(rw.Reader, conn)
	})
}

func (e *Engine) process(r *http.Request) *process {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.execs[r.PathValue("id")]
}

// signal carries out kill -N "$(cat FILE)".
func (e *Engine) signal(script string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.execs {
		if p.file != "" && strings.Contains(script, p.file) {
			p.end(killed)
		}
	}
}

func (p *process) run(in *bufio.Reader, out io.Writer) {
	say := func(stream byte, text string) {
		if p.tty {
			_, _ = io.WriteString(out, text)
			return
		}
		var head [8]byte
		head[0] = stream
		binary.BigEndian.PutUint32(head[4:], uint32(len(text)))
		_, _ = out.Write(append(head[:], text...))
	}
	switch p.args[0] {
	case "upper":
		for lines := bufio.NewScanner(in); lines.Scan(); {
			say(1, strings.ToUpper(lines.Text())+"\n")
			say(2, "line\n")
		}
		p.end(3)
	case "env":
		say(1, strings.Join(p.env, ","))
		p.end(0)
	case "sleep":
		<-p.over
	default:
		say(2, "sh: "+p.args[0]+": not found\n")
		p.end(127)
	}
}
