package bounds_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// Zero has no bits: its products, powers and shifts are small, not too large.
func TestBoundsOfZero(t *testing.T) {
	ecmatest.Table{{
		`let z = 0n, o = 1n; [z * z, z * o, z ** z, z << 5n, z >> 5n, z + z, z / o, z % o, -z * z].join()`,
		"0,0,1,0,0,0,0,0,0"}}.Run(t)
}
