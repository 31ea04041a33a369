package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/sharing/peer"
)

// maxTold bounds what a node tells in one answer, in bytes.
const maxTold = 64 << 20

// serveTell answers another node, or this one.
func (s *Sharing) serveTell(w http.ResponseWriter, r *http.Request) {
	answer, err := s.o.Session.Tell(r.Context(), r.URL.Query())
	var text []byte
	if err == nil {
		text, err = json.Marshal(answer)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // whoever asked may have gone
}

// Ask asks all nodes of the cluster, or the one of that name, what [Local] tells there, and calls told with each
// answer, one at a time. failed says which nodes gave none, and why; err is one of the database, or told's.
func (s *Sharing) Ask(ctx context.Context, node string, q url.Values, told func(node string, answer []byte) error) (
	failed map[string]error, err error) {
	v, err := s.o.Cluster.Engine().Look(ctx)
	if err != nil {
		return nil, err
	}
	failed = map[string]error{}
	var mu sync.Mutex // guards failed and err; held while something is told
	var all sync.WaitGroup
	for _, n := range v.Nodes {
		if node != "" && n.ID.Name() != node {
			continue
		}
		all.Go(func() {
			text, asked := tellOf(ctx, n, s.token, q)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case asked != nil:
				failed[n.ID.Name()] = asked
			case err == nil:
				err = told(n.ID.Name(), text)
			}
		})
	}
	all.Wait()
	return failed, err
}

// tellOf asks one node.
func tellOf(ctx context.Context, n engine.Seen, token string, q url.Values) ([]byte, error) {
	at := peer.Address{URL: n.URL, Token: token, Cert: string(n.Cert)}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL+peer.TellPath+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: at.Transport()}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was read, or is not wanted
	text, err := io.ReadAll(io.LimitReader(res.Body, maxTold+1))
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers %s: %s", res.Status, strings.TrimSpace(string(text[:min(len(text), 500)])))
	case len(text) > maxTold:
		return nil, fmt.Errorf("it tells more than %d MB", maxTold>>20)
	}
	return text, nil
}
