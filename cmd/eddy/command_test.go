package main

import "testing"

// A session has its own command and no other; every other command line has them all, and knows dev.
func TestCommandsOfASession(t *testing.T) {
	for _, c := range []struct {
		args []string
		all  bool
	}{
		{[]string{"dev"}, false}, {[]string{"dev", "--port", "1"}, false}, {nil, true}, {[]string{"--help"}, true},
		{[]string{"help", "dev"}, true}, {[]string{"queues", "list"}, true}, {[]string{"--cwd", "d", "dev"}, true},
	} {
		root, dev := newRoot(OS{Args: c.args})
		if cmd, _, err := root.Find([]string{"dev"}); err != nil || cmd != dev.command {
			t.Errorf("%q: dev is %v, %v", c.args, cmd.Name(), err)
		}
		if all := len(root.Commands()) > 10; all != c.all || !all && len(root.Commands()) != 1 {
			t.Errorf("%q: %d commands", c.args, len(root.Commands()))
		}
	}
}
