//go:build race

package encode_test

const raceDetector = true
