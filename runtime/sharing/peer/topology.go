package peer

import (
	"errors"

	"eddy/queues"
)

// together is what the nodes of a cluster declare: all the same, unless they run different code for a while. Then the
// one that declares last, t, is right about its own consumers.
func together(t queues.Topology, others []queues.Topology) (queues.Topology, error) {
	all := queues.Topology{Queues: append([]string(nil), t.Queues...),
		Consumers: append([]queues.ConsumerConfig(nil), t.Consumers...)}
	var errs []error
	for _, other := range others {
		all.Queues = append(all.Queues, other.Queues...)
		for _, c := range other.Consumers {
			have := false
			for _, mine := range all.Consumers {
				if mine.Queue != c.Queue {
					continue
				}
				have = true
				if mine.Type != c.Type || mine.Script != c.Script {
					errs = append(errs, errors.New("queue \""+c.Queue+"\" has another consumer on another node of the "+
						"cluster: all nodes serve the same Workers"))
				}
			}
			if !have {
				all.Consumers = append(all.Consumers, c)
			}
		}
	}
	return all, errors.Join(errs...)
}
