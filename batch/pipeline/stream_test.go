package pipeline_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sotto/batch/pipeline"
)

// broker starts a server of NATS in this process, with streams of records and releases.
func broker(t *testing.T) (string, jetstream.JetStream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the broker does not start")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]string{"records": "records.>", "releases": "releases.>"} {
		if _, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	return s.ClientURL(), js
}

// released returns the releases that there are, by the name of their record's id.
func released(t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	to, err := js.Stream(t.Context(), "releases")
	if err != nil {
		t.Fatal(err)
	}
	info, err := to.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for seq := info.State.FirstSeq; seq >= 1 && seq <= info.State.LastSeq; seq++ {
		m, failed := to.GetMsg(t.Context(), seq)
		if failed != nil {
			t.Fatal(failed)
		}
		if all[m.Subject] != "" {
			t.Error("an id has two releases")
		}
		all[m.Subject] = string(m.Data)
	}
	return all
}

// TestStream: records that come, come twice, come with another text, or are no records,
// have one release for each id, in a job that is stopped, starts again, and waits for more.
func TestStream(t *testing.T) {
	dir := folder(t, 3, unique)
	url, js := broker(t)
	publish := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := js.Publish(t.Context(), "records.a", fmt.Appendf(nil, `{"id":"r%d","text":"text number %d of the stream"}`, i%40, i%40)); err != nil {
				t.Fatal(err)
			}
		}
	}
	publish(0, 30)
	if _, err := js.Publish(t.Context(), "records.a", []byte("no record")); err != nil {
		t.Fatal(err)
	}
	s := &pipeline.Stream{Job: *job(dir, "unused"), URL: url, From: "records", Subject: "records.>", To: "releases", Last: 20}
	s.In, s.Out = nil, ""
	if err := pipeline.RunStream(t.Context(), s, "prism"); err != nil {
		t.Fatal(err)
	}
	early := released(t, js)
	if len(early) == 0 || len(early) > 20 {
		t.Fatalf("there are %d releases of 20 records", len(early))
	}
	publish(30, 60) // the last 20 for the second time
	if _, err := js.Publish(t.Context(), "records.a", []byte(`{"id":"r1","text":"another text of an old record"}`)); err != nil {
		t.Fatal(err)
	}
	s.Last = 0 // it goes on for ever
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- pipeline.RunStream(ctx, s, "prism") }()
	for began := time.Now(); len(released(t, js)) < 40; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("the job ended: %v", err)
		default:
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute there are %d releases of 40 records", len(released(t, js)))
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("a job that is stopped fails: %v", err)
	}
	all := released(t, js)
	if len(all) != 40 {
		t.Errorf("there are %d releases of 40 records", len(all))
	}
	for name, release := range early {
		if all[name] != release {
			t.Error("a release changed")
		}
	}
}
