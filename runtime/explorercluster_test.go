package runtime

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"eddy/runtime/explorer"
)

// page is one of the explorer's, of a node, as JSON or as HTML.
func (c *testCluster) page(i int, path, kind, token string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "GET", c.webs[i].URL+"/cdn-cgi/eddy/"+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Accept", kind)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// The pages of whichever node show what all nodes have: who has which shards, where objects and stores are and how
// large, and what has happened on each.
func TestExplorerOnCluster(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("explorercluster", "wrangler.jsonc"), "index.js",
		script("explorercluster", "index.js"))
	c := newTestCluster(t)
	c.journal = JournalOn
	if err := c.start(p.dir, false); err != nil {
		t.Fatal(err)
	}
	names := []string{"anna", "bert", "cleo"}
	for i, name := range names {
		res, err := http.Get(c.webs[i].URL + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", name, res.Status)
		}
	}
	html := "text/html"
	for i := range c.nodes {
		if code, _ := c.page(i, "nodes", html, ""); code != http.StatusForbidden && code != http.StatusUnauthorized {
			t.Errorf("without the token: %d", code)
		}
		for path, parts := range map[string][]string{
			"":              {"sees the <a"},
			"nodes":         {"n0", "n1", "n2", "beats", "0 of 17 shards"},
			"objects":       {"anna", "bert", "cleo", "at n", "shop-Cart"},
			"stores":        {"things", "titles", "lines", "vault", "<td>n"},
			"secrets/vault": {"door", "its binding fails"},
			"queues":        {"parcels", "are on node n"},
			"kv/things":     names,
		} {
			code, text := c.page(i, path, html, testToken)
			for _, part := range parts {
				if code != http.StatusOK || !strings.Contains(text, part) {
					t.Errorf("%q of node %d, %d, lacks %q:\n%.3000s", path, i, code, part, text)
				}
			}
			if path == "objects" && strings.Contains(text, "hibernating") {
				t.Error("the filter has states that no object has")
			}
		}
		var stores explorer.StoreList
		_, text := c.page(i, "stores", "application/json", testToken)
		if err := json.Unmarshal([]byte(text), &stores); err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(stores.KV, stores.Vectors, stores.Pipelines)
		for _, row := range all {
			if row.Node == "" || row.Bytes == 0 {
				t.Errorf("%s is nowhere: %s", row.ID, text)
			}
		}
		if len(all) != 3 {
			t.Errorf("%d stores: %s", len(all), text)
		}
		for _, name := range names { // a journal is written a little later
			for text := ""; !strings.Contains(text, "/"+name); {
				_, text = c.page(i, "events?q="+name, "application/json", testToken)
			}
		}
	}
	_, nodes := c.page(0, "nodes", "application/json", testToken)
	for i := range c.nodes {
		if !strings.Contains(nodes, fmt.Sprintf(`"name": "n%d"`, i)) {
			t.Errorf("no node %d: %s", i, nodes)
		}
	}
}
