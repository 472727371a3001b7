package integration_test

import (
	"bytes"
	"context"
	"encoding/base64"
	little "encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // which a client may ask for
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// inference calls a server by gRPC's own client, with messages that are made of
// the inference.proto that we hand out.
type inference struct {
	conn *grpc.ClientConn
	file protoreflect.FileDescriptor
}

var grpcAddress = regexp.MustCompile(`"grpc":"([^"]+)"`)

func dialServer(t *testing.T, p *process) inference {
	t.Helper()
	m := grpcAddress.FindStringSubmatch(p.said.String())
	if m == nil {
		t.Fatalf("the server names no address of gRPC:\n%s", p.said.String())
	}
	conn, err := grpc.NewClient(m[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{"../service/server"}}}
	files, err := c.Compile(t.Context(), "inference.proto")
	if err != nil {
		t.Fatal(err)
	}
	return inference{conn, files[0]}
}

// call asks with a message in JSON and returns the answer in JSON.
func (c inference) call(t *testing.T, method, message string) (map[string]any, error) {
	t.Helper()
	m := c.file.Services().ByName("GRPCInferenceService").Methods().ByName(protoreflect.Name(method))
	in, out := dynamicpb.NewMessage(m.Input()), dynamicpb.NewMessage(m.Output())
	if err := protojson.Unmarshal([]byte(message), in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.conn.Invoke(ctx, "/inference.GRPCInferenceService/"+method, in, out); err != nil {
		return nil, err
	}
	text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return got, nil
}

// TestGRPC calls a real server by gRPC's own client: it answers as over HTTP, in
// numbers and raw, refuses with statuses, and tells of its health.
func TestGRPC(t *testing.T) {
	t.Parallel()
	_, head := trainedCodes(t)
	p := launch(t, "serve", "--model", head, "--grpc-listen", "127.0.0.1:0")
	c := dialServer(t, p)
	for method, field := range map[string]string{"ServerLive": "live", "ServerReady": "ready"} {
		if got, err := c.call(t, method, `{}`); err != nil || got[field] != true {
			t.Errorf("%s: %v, %v", method, got, err)
		}
	}
	if got, err := c.call(t, "ModelReady", `{"name":"head"}`); err != nil || got["ready"] != true {
		t.Errorf("ModelReady: %v, %v", got, err)
	}
	if got, err := c.call(t, "ServerMetadata", `{}`); err != nil || got["name"] != "sotto" {
		t.Errorf("ServerMetadata: %v, %v", got, err)
	}
	meta, err := c.call(t, "ModelMetadata", `{"name":"head"}`)
	if err != nil || len(meta["outputs"].([]any)) != 4 || fmt.Sprint(meta["inputs"]) != "[map[datatype:FP32 name:vector shape:[-1 4]]]" {
		t.Errorf("ModelMetadata: %v, %v", meta, err)
	}

	const privacy = `{"sotto_privacy":{"stringParam":"{\"unit\":\"text\",\"epsilon\":4}"}}`
	typed, err := c.call(t, "ModelInfer", `{"modelName":"head","id":"7","parameters":`+privacy+`,"inputs":[{"name":"vector","datatype":"FP32","shape":[2,1],"contents":{"fp32Contents":[3,0]}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.call(t, "ModelInfer", `{"modelName":"head","parameters":`+privacy+`,"inputs":[{"name":"vector","datatype":"FP32","shape":[2,1]}],"rawInputContents":["AABAQAAAAAA="]}`)
	if err != nil {
		t.Fatal(err)
	}
	// What HTTP says of the same.
	res, err := http.Post(p.base+"/v2/models/head/infer", "application/json", bytes.NewReader([]byte(
		`{"parameters":{"sotto_privacy":{"unit":"text","epsilon":4}},"inputs":[{"name":"vector","datatype":"FP32","shape":[2,1],"data":[3,0]}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var want struct {
		Outputs []struct {
			Name string
			Data []any
		}
	}
	if err = json.NewDecoder(res.Body).Decode(&want); err != nil || len(want.Outputs) != 4 {
		t.Fatalf("over HTTP: %+v, %v", want, err)
	}
	for i, o := range want.Outputs {
		tensor := typed["outputs"].([]any)[i].(map[string]any)
		contents := tensor["contents"].(map[string]any)
		got := contents["fp32Contents"].([]any)
		var packed []byte
		if len(got) == 0 {
			got = contents["bytesContents"].([]any)
			for j := range o.Data {
				s := o.Data[j].(string)
				packed = append(little.LittleEndian.AppendUint32(packed, uint32(len(s))), s...)
				o.Data[j] = base64.StdEncoding.EncodeToString([]byte(s))
			}
		} else {
			for j := range o.Data {
				packed = little.LittleEndian.AppendUint32(packed, math.Float32bits(float32(o.Data[j].(float64))))
			}
		}
		if tensor["name"] != o.Name || fmt.Sprint(got) != fmt.Sprint(o.Data) {
			t.Errorf("output %s is %v over gRPC, %v over HTTP", o.Name, got, o.Data)
		}
		if raw["rawOutputContents"].([]any)[i] != base64.StdEncoding.EncodeToString(packed) || raw["outputs"].([]any)[i].(map[string]any)["contents"] != nil {
			t.Errorf("output %s is raw %v, want %v", o.Name, raw["rawOutputContents"].([]any)[i], base64.StdEncoding.EncodeToString(packed))
		}
	}

	for message, code := range map[string]codes.Code{
		`{"modelName":"other"}`: codes.NotFound,
		`{"modelName":"head"}`:  codes.InvalidArgument,
		`{"modelName":"head","parameters":` + privacy + `,"inputs":[{"name":"vector","datatype":"FP32","shape":[1,3],"contents":{"fp32Contents":[0,0,0]}}]}`: codes.InvalidArgument,
		`{"modelName":"head","id":"` + string(bytes.Repeat([]byte("x"), 9<<20)) + `"}`:                                                                       codes.ResourceExhausted,
	} {
		if got, refused := c.call(t, "ModelInfer", message); status.Code(refused) != code {
			t.Errorf("%.80s: %v, %v, want %v", message, got, refused, code)
		}
	}
	check, err := health.NewHealthClient(c.conn).Check(t.Context(), &health.HealthCheckRequest{Service: "inference.GRPCInferenceService"})
	if err != nil || check.Status != health.HealthCheckResponse_SERVING {
		t.Errorf("health is %v, %v, want that it serves", check, err)
	}
	if err := c.conn.Invoke(t.Context(), "/inference.GRPCInferenceService/ModelInfer", &health.HealthCheckRequest{Service: "head"}, &health.HealthCheckResponse{}, grpc.UseCompressor("gzip")); status.Code(err) == codes.OK {
		t.Error("a compressed message was answered")
	}
}
