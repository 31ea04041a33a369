package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// startTime is how long a browser may take to say where it listens.
const startTime = time.Minute

// programs are the names of a Chromium on PATH, the first that is there counts.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"microsoft-edge"}

// places are where browsers lie that are not on PATH.
var places = []string{"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", `C:\Program Files\Google\Chrome\Application\chrome.exe`,
	`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`}

// errNoBrowser says what to do.
var errNoBrowser = errors.New("no browser is installed: install Chromium or Chrome (apt-get install chromium), or " +
	"name " +
	"a program or the address of a running one in EDDY_BROWSER or in eddy.jsonc: { \"bindings\": { \"BROWSER\": " +
	"{ \"browser\": \"/usr/bin/chromium\" } } }; see docs/stand-ins.md")

// find is the program that a setting names, or one that is installed.
func find(setting string) (string, error) {
	if setting != "" {
		path, err := exec.LookPath(setting)
		if err != nil {
			return "", fmt.Errorf("the browser %s of the settings cannot be started: %w", setting, err)
		}
		return path, nil
	}
	for _, name := range append(programs, places...) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBrowser
}

// process is a browser that was started here.
type process struct {
	cmd     *exec.Cmd
	profile string
	done    chan struct{} // closed when it has ended
	// endpoint is the WebSocket of the whole browser.
	endpoint string
}

// launch starts a browser with a profile of its own below folder.
func launch(ctx context.Context, program, folder string) (*process, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	sweep(folder)
	profile, err := os.MkdirTemp(folder, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--no-first-run",
		"--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-extensions", "--disable-dev-shm-usage", "--mute-audio", "--password-store=basic",
		"--use-mock-keychain"}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium's sandbox refuses root
	}
	p := &process{cmd: exec.Command(program, append(args, "about:blank")...), profile: profile,
		done: make(chan struct{})}
	own(p.cmd)
	// A pipe of cmd's would be closed as soon as the browser has ended, with what nobody has read yet.
	said, says, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	p.cmd.Stderr = says
	started := make(chan error, 1)
	go func() {
		// The kernel ties the life of the child to the thread that has started it, which must not end before.
		runtime.LockOSThread()
		defer close(p.done)
		err := p.cmd.Start()
		_ = says.Close() // the browser has its own
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ends does not matter: it is killed
			end(p.cmd)       // what it has started would hold the pipe
		}
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), said.Close(), os.RemoveAll(profile))
	}
	found, lines := make(chan string, 1), make(chan string, 1)
	go func() {
		defer said.Close()
		var last []string
		r := bufio.NewReader(said)
		for {
			line, err := r.ReadString('\n')
			if _, address, ok := strings.Cut(line, "DevTools listening on "); ok {
				found <- strings.TrimSpace(address)
				_, _ = io.Copy(io.Discard, r) // it goes on to complain, and must not block
				return
			}
			if line = strings.TrimSpace(line); line != "" && len(last) < 20 {
				last = append(last, line)
			}
			if err != nil {
				lines <- strings.Join(last, "\n  ")
				return
			}
		}
	}()
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	select {
	case p.endpoint = <-found:
		return p, nil
	case text := <-lines:
		return nil, errors.Join(fmt.Errorf("%s ended before it listened:\n  %s", program, text), p.kill())
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("%s did not say where it listens: %w", program, ctx.Err()), p.kill())
	}
}

// kill ends the browser with all its processes and removes its profile.
func (p *process) kill() error {
	end(p.cmd)
	<-p.done
	return os.RemoveAll(p.profile)
}

// sweep removes the profiles of sessions that were killed. Their names begin with the number of the process.
func sweep(folder string) {
	entries, _ := os.ReadDir(folder) // nothing to remove
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(number); err == nil && !alive(pid) {
			_ = os.RemoveAll(filepath.Join(folder, e.Name())) // the next one tries again
		}
	}
}
