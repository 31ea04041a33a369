package inspector

import "runtime"

// heapUsage is that of the process: the engine's isolates share one heap.
func heapUsage(*client, *none) (map[string]uint64, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return map[string]uint64{"usedSize": m.HeapAlloc, "totalSize": m.HeapSys}, nil
}
