package replay

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"
)

// random is the source of random bytes of a replay. Each event has its own sequence, so an event that is left out or
// that reads more changes nothing for later ones.
type random struct {
	seed uint64
	mu   sync.Mutex
	r    *rand.ChaCha8 // guarded by mu
}

func newRandom(seed uint64) *random {
	r := &random{seed: seed}
	r.begin("start")
	return r
}

// begin is called when an event begins.
func (r *random) begin(event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.r = rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %s", r.seed, event)))
}

// Read implements io.Reader.
func (r *random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.Read(p)
}
