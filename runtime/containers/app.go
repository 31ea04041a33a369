package containers

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"eddy/runtime/lazyregexp"
)

// App is what the configuration says of a class: the images of its containers. The first use, or [App.Prepare], builds
// or pulls them, once.
type App struct {
	// Class is the class's name, Lock the Worker's lock file (see [Labels]).
	Class, Lock string
	// Image is the one that containers run unless start() names another. Named are more of them by their names. Image
	// is nil if there are named ones only.
	Image *Image
	Named map[string]Image
	// Engine finds the engine. Its error is that of every use.
	Engine func(context.Context) (*Engine, error)
	// Program is the engine's own command, "" for none.
	Program string
	// Tell takes a line about the work on images; it may be nil.
	Tell func(text string)
	// Live keeps what was started, so that the session can end it.
	Live *Live

	mu sync.Mutex // guards done, and lets one of those who need the image make it
	// done has the tags of images that are there, by the name, "" for Image.
	done map[string]string
}

var notInNames = lazyregexp.New(`[^a-z0-9]+`)

// Prepare makes every image available.
func (a *App) Prepare(ctx context.Context) error {
	var errs []error
	if a.Image != nil {
		_, err := a.image(ctx, "")
		errs = append(errs, err)
	}
	for name := range a.Named {
		_, err := a.image(ctx, name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// image returns the tag of an image of the configuration, or a reference to another as it is.
func (a *App) image(ctx context.Context, name string) (string, error) {
	source, ok := a.Named[name]
	switch {
	case name == "" && a.Image != nil:
		source = *a.Image
	case name == "":
		return "", fmt.Errorf("the container of %s has no image: name one of its images in start({ image })", a.Class)
	case !ok:
		return name, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if tag := a.done[name]; tag != "" {
		return tag, nil
	}
	e, err := a.Engine(ctx)
	if err != nil {
		return "", err
	}
	tag, err := a.tag(name, source)
	if err != nil {
		return "", err
	}
	a.tell("preparing " + source.String() + " for the container of " + a.Class)
	var said bytes.Buffer
	if err := e.Prepare(ctx, source, tag, a.Program, &said); err != nil {
		return "", fmt.Errorf("%s for the container of %s: %w%s", source, a.Class, err, last(said.String()))
	}
	a.tell("the image for the container of " + a.Class + " is ready")
	if a.done == nil {
		a.done = map[string]string{}
	}
	a.done[name] = tag
	return tag, nil
}

// tag is what the engine calls an image: the same from session to session, so that a new build takes its place.
func (a *App) tag(name string, source Image) (string, error) {
	if source.Dockerfile == "" {
		return source.Reference, nil
	}
	text, err := json.Marshal(source)
	sum := sha256.Sum256(text)
	return "eddy-" + plain(a.Class+"-"+name) + ":" + hex.EncodeToString(sum[:6]), err
}

// plain is a text as names of the engine may have it.
func plain(text string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// String names the image to people.
func (i Image) String() string {
	if i.Dockerfile != "" {
		return i.Dockerfile
	}
	return i.Reference
}

// last are the last lines of what a build has said.
func last(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if lines[0] == "" {
		return ""
	}
	return "\n" + strings.Join(lines[max(0, len(lines)-20):], "\n")
}

func (a *App) tell(text string) {
	if a.Tell != nil {
		a.Tell(text)
	}
}

// Run starts a container for the object with an id, calls started, and waits until the container has ended; then it
// removes it. It returns the exit code. ctx ends the container. image is a name or a reference, "" for the
// configuration's only one; s.Image, s.Name and the labels that eddy needs are filled in.
func (a *App) Run(ctx context.Context, id, image string, s Launch, started func(*Container)) (int, error) {
	ctx, over, err := a.Live.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer over()
	e, err := a.Engine(ctx)
	if err != nil {
		return 0, err
	}
	if s.Image, err = a.image(ctx, image); err != nil {
		return 0, err
	}
	s.Name = "eddy-" + plain(a.Class) + "-" + id[:min(12, len(id))] + "-" + token()
	labels := Labels(a.Lock)
	maps.Copy(labels, s.Labels)
	s.Labels = labels
	c, err := e.Start(ctx, s)
	if err != nil {
		return 0, err
	}
	started(c)
	code, err := c.Wait(ctx)
	return code, errors.Join(err, c.Remove(context.WithoutCancel(ctx)))
}

func token() string {
	var b [4]byte
	_, _ = io.ReadFull(rand.Reader, b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Live are the containers of a session that have not ended.
type Live struct {
	mu     sync.Mutex
	ends   map[int]context.CancelFunc // of those that run
	next   int
	closed bool
	busy   sync.WaitGroup
}

// errOver is the error of a start in a session that ends.
var errOver = errors.New("the session is ending")

// enter notes one more. over is called when it has ended.
func (l *Live) enter(ctx context.Context) (_ context.Context, over func(), err error) {
	ctx, end := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		end()
		return nil, nil, errOver
	}
	if l.ends == nil {
		l.ends = map[int]context.CancelFunc{}
	}
	l.next++
	number := l.next
	l.ends[number] = end
	l.busy.Add(1)
	return ctx, func() {
		end()
		l.mu.Lock()
		delete(l.ends, number)
		l.mu.Unlock()
		l.busy.Done()
	}, nil
}

// Close ends them all and waits until they are removed. Nothing is started any more.
func (l *Live) Close() error {
	l.mu.Lock()
	l.closed = true
	for _, end := range l.ends {
		end()
	}
	l.mu.Unlock()
	l.busy.Wait()
	return nil
}
