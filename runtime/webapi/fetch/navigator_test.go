package fetch

import "testing"

// RT4, RT7.
func TestNavigator(t *testing.T) {
	table(t, newRunner(t), [][2]string{
		{`[navigator.userAgent, navigator.hardwareConcurrency, navigator.language, navigator instanceof Navigator, ` +
			`self === globalThis, origin].join()`, "Cloudflare-Workers,1,en,true,true,null"},
	})
}
