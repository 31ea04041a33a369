package queues

import (
	"math/rand/v2"
	"testing"
)

// One verdict after the other, in any order, is what verdict says of each.
func TestVerdictsInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + random.IntN(6)
		o := Outcome{AckAll: random.IntN(3) == 0, RetryAll: random.IntN(3) == 0, RetryAllDelay: DelaySeconds(3)}
		if random.IntN(2) == 0 {
			o.Failure = &Failure{}
		}
		for range random.IntN(8) {
			o.Acks = append(o.Acks, ID{byte(random.IntN(n))})
		}
		for i := range random.IntN(8) {
			o.Retries = append(o.Retries, Retry{ID: ID{byte(random.IntN(n))}, Delay: DelaySeconds(int32(i))})
		}
		next := o.verdicts()
		for _, i := range random.Perm(n) {
			if id := (ID{byte(i)}); next(id) != o.verdict(id) {
				t.Fatalf("%+v: message %d", o, i)
			}
		}
	}
}
