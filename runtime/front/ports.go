package front

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"eddy/runtime/report"
)

// Ports are the open ports of a session, in the order of its Workers. The zero value has none.
type Ports struct {
	open    []openPort
	serving sync.WaitGroup
}

// openPort is a port and the front that answers on it.
type openPort struct {
	*Listener
	front Front
}

// Open opens a port for a front. Connections wait until Serve.
func (p *Ports) Open(f Front, at Port) error {
	l, err := f.Listen(at)
	if err != nil {
		return err
	}
	p.open = append(p.open, openPort{l, f})
	return nil
}

// Serve begins to answer on all ports, each on a goroutine of its own.
func (p *Ports) Serve() {
	for _, port := range p.open {
		p.serving.Go(port.serve)
	}
}

func (p openPort) serve() {
	if err := p.Serve(); err != nil {
		name := p.front.o.Worker
		p.front.o.Report.Line(report.Error, "server", fmt.Sprintf("the HTTP server of %s ended: %v", name, err),
			report.F("worker", name))
	}
}

// Stop closes all ports at once, lets requests in flight end until ctx does, and waits for the goroutines of Serve.
func (p *Ports) Stop(ctx context.Context) error {
	var errs []error
	for _, port := range p.open {
		errs = append(errs, port.Stop(ctx))
	}
	p.serving.Wait()
	return errors.Join(errs...)
}

// URL is where the first Worker answers, "" without a port.
func (p *Ports) URL() string {
	if len(p.open) == 0 {
		return ""
	}
	return p.open[0].URL()
}

// Addr is the address of the first Worker's port, nil without one.
func (p *Ports) Addr() net.Addr {
	if len(p.open) == 0 {
		return nil
	}
	return p.open[0].Addr()
}

// Ready tells for each port that it answers, and how long the start took, unless that is 0.
func (p *Ports) Ready(to *report.Reporter, took time.Duration) {
	for i, port := range p.open {
		url, name := port.URL(), port.front.o.Worker
		text := "Ready on " + to.Paint("cyan", url)
		if i > 0 {
			text += " " + to.Paint("dim", "("+name+")")
		} else if took > 0 {
			text += " " + to.Paint("dim", "("+report.Duration(took)+")")
		}
		to.Line(report.Info, "ready", text, report.F("url", url), report.F("worker", name))
	}
}
