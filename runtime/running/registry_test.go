package running

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// A session that looks for others does not ask itself: that would be a request of every start.
func TestOthersAsksNotItself(t *testing.T) {
	dir := t.TempDir()
	serve := func(pid int) (s Process, asked *atomic.Int32) {
		asked = &atomic.Int32{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != APIPrefix+"/session" {
				t.Errorf("asked for %s", r.URL.Path)
			}
			asked.Add(1)
			_ = json.NewEncoder(w).Encode(Process{PID: pid})
		}))
		t.Cleanup(server.Close)
		s = Process{PID: pid, URL: server.URL, Started: time.Unix(int64(pid), 0).UTC()}
		if _, err := Register(dir, Registered{Process: s}); err != nil {
			t.Fatal(err)
		}
		return s, asked
	}
	own, self := serve(os.Getpid())
	other, asked := serve(os.Getppid())
	others := Others(t.Context(), dir, own)
	if len(others) != 1 || others[0].URL != other.URL || self.Load() != 0 || asked.Load() != 1 {
		t.Errorf("%v: it asked itself %d times, and the other %d times", others, self.Load(), asked.Load())
	}
	if all := Sessions(t.Context(), dir); len(all) != 2 {
		t.Errorf("%d sessions run: %v", len(all), all)
	}
}

// TestCodeDir: the folder of machine code is beside the sessions, where EDDY_CACHE says, or nowhere.
func TestCodeDir(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ name, value, want string }{
		{"EDDY_CACHE", root, filepath.Join(root, "wasm")},
		{"EDDY_CACHE", "off", ""},
		{"NOTHING", "", ""},
	} {
		if got := CodeDir([]string{c.name + "=" + c.value}); got != c.want {
			t.Errorf("%s=%s: %q", c.name, c.value, got)
		}
	}
	environ := []string{"HOME=" + root, "LocalAppData=" + root}
	if code, sessions := CodeDir(environ), RegistryDir(environ); filepath.Dir(code) != filepath.Dir(sessions) {
		t.Errorf("%s is not beside %s", code, sessions)
	}
}
