package main

import "testing"

// A session has its own command, and serve also the one that every root has; other command lines have them all.
func TestCommandsOfASession(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int // commands; 0 for all
	}{
		{[]string{"dev"}, 1}, {[]string{"dev", "--port", "1"}, 1}, {[]string{"serve"}, 2}, {nil, 0},
		{[]string{"--help"}, 0}, {[]string{"help", "dev"}, 0}, {[]string{"queues", "list"}, 0},
		{[]string{"--cwd", "d", "dev"}, 0},
	} {
		root, dev := newRoot(OS{Args: c.args})
		if cmd, _, err := root.Find([]string{"dev"}); err != nil || cmd != dev.command {
			t.Errorf("%q: dev is %v, %v", c.args, cmd.Name(), err)
		}
		if n := len(root.Commands()); n != c.want && (c.want > 0 || n <= 10) {
			t.Errorf("%q: %d commands", c.args, n)
		}
	}
}
