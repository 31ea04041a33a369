package runtime

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"eddy/runtime/clock"
	"eddy/runtime/control"
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

// model is what a page of a node shows.
func (c *testCluster) model(i int, path string, into any) string {
	c.t.Helper()
	code, text := c.page(i, path, "application/json", testToken)
	if err := json.Unmarshal([]byte(text), into); err != nil || code != http.StatusOK {
		c.t.Fatalf("%s of node %d, %d: %v: %s", path, i, code, err, text)
	}
	return text
}

// shows asks for a page of a node until it says all of these: what a node was too busy to tell in time is left out.
func (c *testCluster) shows(i int, path string, parts ...string) {
	c.t.Helper()
	for whole := false; !whole; {
		code, text := c.page(i, path, "text/html", testToken)
		lacks := func(part string) bool { return !strings.Contains(text, part) }
		whole = code == http.StatusOK && !slices.ContainsFunc(parts, lacks)
	}
}

// The pages of whichever node show what all nodes have: who has which shards, where objects and stores are and how
// large, and what has happened on each.
func TestExplorerOnCluster(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("explorercluster", "wrangler.jsonc"), "index.js",
		script("explorercluster", "index.js"))
	c := newTestCluster(t)
	c.journal = JournalOn
	standing := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	standing.Pause() // however long the pages take, no object leaves the memory because it has nothing to do
	c.clock = standing
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
	ws, _, err := websocket.Dial(t.Context(), c.webs[0].URL+"/bert", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
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
			"email": {"cart of anna", "cart of bert", "cart of cleo", "on the node", " at n0", " at n1",
				" at n2"},
			"analytics?sql=SELECT+index1+FROM+visits": {"<th>node</th>", "anna", "bert", "cleo", "n0", "n1",
				"n2"},
		} {
			c.shows(i, path, parts...)
		}
		var objects explorer.ObjectList
		var mails explorer.MailList
		unknown := func(o control.Object) bool { return o.State == "" } // its node was too busy to tell in time
		for again := true; again; again = slices.ContainsFunc(objects.Objects, unknown) {
			objects = explorer.ObjectList{}
			c.model(i, "objects", &objects)
		}
		for _, o := range objects.Objects {
			if sockets := o.Name == "bert"; o.State == "cold" || (o.Sockets == 1) != sockets {
				t.Errorf("node %d shows %+v", i, o)
			}
		}
		for len(mails.Mail) < len(names) {
			mails = explorer.MailList{}
			c.model(i, "email", &mails)
		}
		if len(mails.Mail) != len(names) {
			t.Errorf("%d mails: %+v", len(mails.Mail), mails)
		}
		for _, m := range mails.Mail {
			path := "email/" + m.File + "?node=" + m.Node
			c.shows(i, path, "one thing of "+strings.TrimPrefix(m.Subject, "cart of "))
		}
		if code, _ := c.page(i, "email/none.eml", html, testToken); code != http.StatusNotFound {
			t.Errorf("a mail that nobody has: %d", code)
		}
		var stores explorer.StoreList
		text := c.model(i, "stores", &stores)
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
