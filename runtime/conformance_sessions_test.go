package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tailscale/hujson"

	"eddy/runtime/report"
)

// betweenSessions are the cases whose Worker calls others.
var betweenSessions = []string{"object-rpc", "rpc", "rpc-errors", "rpc-failures", "rpc-values"}

// The transcripts of RPC hold between two sessions as well: the Worker that calls runs in one, those that are called
// and the objects in another.
func TestConformanceBetweenSessions(t *testing.T) {
	for _, name := range betweenSessions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arc, err := txtar.ParseFile(filepath.Join(conformanceDir, name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			near, far := t.TempDir(), t.TempDir()
			var calls, want string
			for _, f := range arc.Files {
				text := f.Data
				switch f.Name {
				case "calls":
					calls = string(f.Data)
					continue
				case "transcript":
					want = string(f.Data)
					continue
				case "wrangler.jsonc":
					text = distantConfig(t, f.Data)
				case "index.js":
					text = distantLog(f.Data, logFar)
					f.Data = slices.Concat(f.Data, []byte(logEntrypoint))
				}
				if err := errors.Join(os.WriteFile(filepath.Join(near, f.Name), text, 0o600),
					os.WriteFile(filepath.Join(far, f.Name), f.Data, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			state := t.TempDir()
			startBeside(t, far, state)
			s := startBeside(t, near, state)
			h, err := s.Handler("")
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(h)
			defer web.Close()
			got := transcript(t, only(web.URL), calls, func() string { return "" })
			w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
			if len(w) != len(g) {
				t.Fatalf("the transcript has %d lines, ours %d\n%s", len(w), len(g), got)
			}
			for i := range w {
				if label, _, _ := strings.Cut(w[i], " => "); w[i] != g[i] && own[label] == "" {
					t.Errorf("differs from the reference:\n- %s\n+ %s\n", w[i], g[i])
				}
			}
		})
	}
}

// own are lines that are about the calling Worker itself, so that they have another answer when it is another Worker.
var own = map[string]string{
	"CL12":      "ctx.exports of a Worker without classes of its own",
	"CL4 fetch": "sets a variable of the class's module",
}

// The cases keep a log in a variable, which the side that calls and the side that is called both write and read.
// Between sessions there are two such variables: the caller asks for the other one as well.
const logEntrypoint = `
import { WorkerEntrypoint as LogBase } from "cloudflare:workers";
export class Log extends LogBase { take() { return typeof log === "undefined" ? "" : log.splice(0).join(); } }
`

var (
	logRead  = regexp.MustCompile(`(?m)^(const take = .*\nconst logged = .*|const take = .*)$`)
	logTaken = regexp.MustCompile(`(?m)^( +"| +case "/).*$`)
	logSlept = regexp.MustCompile(`sleep\((10|20|50|1000)\)`)
)

// logFar is how the side that calls reads both variables.
const logFar = `import { env as logEnv } from "cloudflare:workers";
const take = async () => [log.splice(0).join(), await logEnv.LOG.take()].filter(Boolean).join();`

// distantLog makes a case read its log by take, which is code that declares that function.
func distantLog(text []byte, take string) []byte {
	text = bytes.ReplaceAll(text, []byte("within(5000,"), []byte("within(100000,"))
	text = bytes.ReplaceAll(text,
		[]byte(`for (let n = 0; n < 400 && !log.includes("slow after"); n++) await sleep(5);`),
		[]byte(`let all = ""; for (; !all.includes("slow after"); await sleep(5)) all += await take();`))
	text = bytes.ReplaceAll(text, []byte(`String(take().includes`), []byte(`String(all.includes`))
	text = logTaken.ReplaceAllFunc(text, func(line []byte) []byte {
		// a machine under load: what is bounded by time there is waited for longer here
		line = logSlept.ReplaceAll(line, []byte("sleep(${1}0)"))
		return bytes.ReplaceAll(line, []byte("take()"), []byte("(await take())"))
	})
	return logRead.ReplaceAll(text, []byte(take+`
const logged = async (n = 1) => {
  const all = [];
  while (all.length < n) {
    const more = await take();
    if (more === "") await sleep(5); else all.push(...more.split(","));
  }
  return all.join();
};`))
}

// distantConfig is the configuration of the Worker that calls: its objects are those of the other session.
func distantConfig(t *testing.T, text []byte) []byte {
	t.Helper()
	b, err := hujson.Standardize(text)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	far := c["name"]
	c["name"] = "near"
	delete(c, "migrations")
	if objects, ok := c["durable_objects"].(map[string]any); ok {
		for _, b := range objects["bindings"].([]any) {
			b.(map[string]any)["script_name"] = far
		}
	}
	services, _ := c["services"].([]any)
	c["services"] = append(services, map[string]any{"binding": "LOG", "service": far, "entrypoint": "Log"})
	if b, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	return b
}

// startBeside starts a session on a state directory that others use, too.
func startBeside(t *testing.T, dir, state string) *Session {
	t.Helper()
	var out bytes.Buffer // looked at by nobody
	s, err := Start(context.Background(), Options{Dir: dir, Persist: true, PersistTo: state, Listen: true, Port: -1,
		Reporter: report.New(report.Options{Out: &out, Level: report.Log})})
	if err != nil {
		t.Fatal(Explain(err, false))
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}
