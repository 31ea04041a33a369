package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// load is n requests over sixteen connections, each of which is asked again as soon as it has answered.
//
// A request is bytes that are made once, and one goroutine writes them and reads the answer: net/http's client takes as
// much processor time as the server that it asks, and where the server has work for two processors that is what would
// be measured. The processors are the server's but for the little that the kernel and this need.
func load(v *server, n int, method, url, body string) error {
	req, err := http.NewRequest(method, v.url+url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "") // none
	var request bytes.Buffer
	if err := req.Write(&request); err != nil {
		return err
	}
	var left atomic.Int64
	left.Store(int64(n))
	errs := make([]error, min(16, n))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = ask(v, request.Bytes(), &left) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// ask asks over one connection while requests are left.
func ask(v *server, request []byte, left *atomic.Int64) (err error) {
	if left.Add(-1) < 0 {
		return nil
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(v.url, "http://"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	answers := bufio.NewReader(conn)
	for {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != 200 {
			err = fmt.Errorf("%s: %s %.200s", v.name, res.Status, text)
		}
		if err != nil || left.Add(-1) < 0 {
			return err
		}
		if res.Close {
			return fmt.Errorf("%s closes a connection that is in use", v.name)
		}
	}
}
