package caches

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"net/http"
	"time"
)

// The file of a cache entry holds cacheMagic, the length of the head (4 bytes, little-endian), the head as JSON, the
// body, and the CRC-32C of all of that (4 bytes). A file that is not whole is no entry.
const cacheMagic = "EDC1"

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// cacheHead is what a file says before the body. The names of cache and key are in it because the file's own name is
// only their hash.
type cacheHead struct {
	Cache, Key string
	Status     int
	StatusText string `json:",omitempty"`
	Header     http.Header
	Expires    int64 // milliseconds since 1970
}

func encodeCacheFile(cache, key string, e *StoredResponse) ([]byte, error) {
	head, err := json.Marshal(
		cacheHead{Cache: cache, Key: key, Status: e.Status, StatusText: e.StatusText, Header: e.Header,
			Expires: e.Expires.UnixMilli()})
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(cacheMagic)+4+len(head)+len(e.Body)+4)
	b = append(b, cacheMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = append(b, head...)
	b = append(b, e.Body...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crcTable)), nil
}

var errCacheFile = errors.New("not a whole cache entry")

// decodeCacheFile reads a file; the entry shares b.
func decodeCacheFile(b []byte) (cache, key string, e *StoredResponse, err error) {
	n := len(b) - 4
	if n < len(cacheMagic)+4 || string(b[:len(cacheMagic)]) != cacheMagic ||
		binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], crcTable) {
		return "", "", nil, errCacheFile
	}
	rest := b[len(cacheMagic)+4 : n]
	size := binary.LittleEndian.Uint32(b[len(cacheMagic):])
	var h cacheHead
	if uint64(size) > uint64(len(rest)) || json.Unmarshal(rest[:size], &h) != nil || h.Status < 200 || h.Status > 599 {
		return "", "", nil, errCacheFile
	}
	if h.Header == nil {
		h.Header = http.Header{}
	}
	return h.Cache, h.Key, &StoredResponse{
		Status: h.Status, StatusText: h.StatusText, Header: h.Header, Body: rest[size:],
		Expires: time.UnixMilli(h.Expires),
	}, nil
}
