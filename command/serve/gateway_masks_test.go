package serve_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
)

// TestGatewayTypes masks addresses for what they are: two texts that differ in them
// alone are one release. A model that was trained on masked texts is not served
// without the masks.
func TestGatewayTypes(t *testing.T) {
	base, stop := startGateway(t, append(gatewayPlaces(t), "--mask", "types:email")...)
	a := postGateway(t, base+"/v1/embeddings", "", `{"input": "write to zaphod@beeblebrox.org", "user": "u"}`)
	b := postGateway(t, base+"/v1/embeddings", "", `{"input": "write to ford@prefect.org", "user": "u"}`)
	if a.Privacy.Paid != 1 || b.Privacy.Repeated != 1 || string(a.Data[0].Embedding) != string(b.Data[0].Embedding) {
		t.Errorf("two texts without their addresses are two releases: %+v, %+v", a.Privacy, b.Privacy)
	}
	if said := stop(); strings.Contains(said, "zaphod") {
		t.Errorf("the gateway said %s", said)
	}
	dir := filepath.Join(smallModel(t, "--mask", "types:email=fake"), "seed-1")
	code, _, errs := masking.Sotto(t, "", append(append([]string{"gateway", "--listen", "127.0.0.1:0"}, gatewayPlaces(t)...), "--model", dir)...)
	if code != command.ExitUse || !strings.Contains(errs, "types:email=fake by ") || !strings.Contains(errs, "must be served with the same masks") {
		t.Errorf("without masks: exit code %d: %s", code, errs)
	}
	base, stop = startGateway(t, append(gatewayPlaces(t), "--model", dir, "--mask", "types:email=fake")...)
	if a = postGateway(t, base+"/v1/embeddings", "", `{"input": "write to zaphod@beeblebrox.org"}`); a.Privacy.Paid != 1 {
		t.Errorf("with masks: %+v", a)
	}
	stop()
}
