//go:build !race

package runtime

// raceDetector tells whether the tests run with the race detector.
const raceDetector = false
