package httpserve_test

import (
	"testing"
	"time"

	"sotto/service/httpserve"
)

func TestPressure(t *testing.T) {
	const (
		manyShed = 8
		calm     = 5 * time.Second
	)
	var p httpserve.Pressure
	now := time.Now()
	if p.On(now) {
		t.Error("pressure before anything")
	}
	for range manyShed - 1 {
		p.Shed(now)
	}
	if p.On(now) {
		t.Error("pressure after a few")
	}
	if p.Shed(now.Add(6 * time.Second)); p.On(now.Add(6 * time.Second)) {
		t.Error("pressure after a few of six seconds")
	}
	now = now.Add(20 * time.Second)
	for range manyShed {
		p.Shed(now)
	}
	if !p.On(now) || !p.On(now.Add(calm-1)) {
		t.Error("no pressure after many")
	}
	if p.Shed(now.Add(calm - 1)); !p.On(now.Add(2*calm - 2)) {
		t.Error("no pressure although there was one more")
	}
	if p.On(now.Add(2*calm - 1)) {
		t.Error("pressure when it was over")
	}
	if p.Shed(now.Add(3 * calm)); p.On(now.Add(3 * calm)) {
		t.Error("one alone brings it back")
	}
}
