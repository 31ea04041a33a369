//go:build race

package runtime

// raceDetector tells whether the tests run with the race detector, with which JavaScript takes many times as long.
const raceDetector = true
