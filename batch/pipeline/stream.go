package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/natsio"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sotto/batch/shard"
)

func init() {
	beam.RegisterDoFn(reflect.TypeOf(streamFn{}))
}

// Stream is a job over records that keep coming, from a stream of NATS JetStream to
// another one.
type Stream struct {
	Job
	URL     string `json:"url"`     // of the server
	Creds   string `json:"creds"`   // file of credentials, on every worker; "" for none
	From    string `json:"from"`    // stream of the records, objects of JSON
	Subject string `json:"subject"` // of the records
	To      string `json:"to"`      // subject before the names of ids, of the stream of releases
	Last    int64  `json:"last"`    // place in the stream at which to end; 0 means never
}

// Validate reports what cannot be done.
func (s *Stream) Validate() error {
	switch {
	case s.URL == "" || s.From == "" || s.Subject == "" || s.To == "":
		return errors.New("pipeline: a stream needs a server, a stream with a subject, and a subject for releases")
	case s.ID == "" || s.Text == "":
		return errors.New("pipeline: a stream needs columns of ids and texts")
	case s.Ledger != "" || s.User != "":
		return errors.New("pipeline: a stream has no ledger, must not: a gateway is for users who pay one release at a time")
	}
	return s.Spec.Validate()
}

// Headers of a release say when its record was published, by which scheme its noise was
// drawn, and with which numerics its vector was made.
const (
	seen     = "Sotto-Published"
	scheme   = "Sotto-Scheme"
	numerics = "Sotto-Numerics"
)

// RunStream releases records until the context is done, or the last one is. Each id has
// one release, however often a record comes or the job starts: the server of the stream
// of releases takes the first under the name of an id, and refuses every other.
func RunStream(ctx context.Context, s *Stream, runner string) error {
	if err := s.Validate(); err != nil {
		return err
	}
	w, err := s.Open(ctx) // what is wrong is said at once
	if err != nil {
		return err
	}
	if err = w.Settle(nil); err != nil {
		return err
	}
	first, err := s.resume(ctx)
	if err != nil {
		return err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("pipeline: the job cannot be written: %w", err)
	}
	p, root := beam.NewPipelineWithRoot()
	o := []natsio.ReadOptionFn{natsio.ReadStartSeqNo(first), natsio.ReadFetchSize(streamBlock)}
	if s.Creds != "" {
		o = append(o, natsio.ReadUserCredentials(s.Creds))
	}
	if s.Last > 0 {
		o = append(o, natsio.ReadEndSeqNo(s.Last+1))
	}
	records := natsio.Read(root, s.URL, s.From, s.Subject, o...)
	beam.ParDo0(root.Scope("release"), &streamFn{Spec: string(b)}, records)
	failure.Store(nil)
	ended := make(chan error, 1)
	go func() {
		_, failed := beam.Run(ctx, runner, p)
		ended <- failed
	}()
	select {
	case err = <-ended:
	case <-ctx.Done(): // what is half done is done again by the next start, with the same bytes
		return nil
	}
	if why := failure.Load(); err != nil && why != nil {
		return *why
	}
	return err
}

// connect opens the server.
func (s *Stream) connect() (*nats.Conn, jetstream.JetStream, error) {
	var o []nats.Option
	if s.Creds != "" {
		o = append(o, nats.UserCredentials(s.Creds))
	}
	conn, err := nats.Connect(s.URL, o...)
	if err != nil {
		return nil, nil, fmt.Errorf("pipeline: the server of the stream: %w", err)
	}
	js, err := jetstream.New(conn)
	return conn, js, err
}

// resume returns the place of the first record that may have no release yet: the one
// that was published when the record of the newest release was. The server refuses what
// is released again.
func (s *Stream) resume(ctx context.Context) (int64, error) {
	conn, js, err := s.connect()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	name, err := js.StreamNameBySubject(ctx, s.To+".x")
	if err != nil {
		return 0, fmt.Errorf("pipeline: no stream takes %s.>, must be one: %w", s.To, err)
	}
	to, err := js.Stream(ctx, name)
	if err != nil {
		return 0, err
	}
	state, err := to.Info(ctx)
	if err != nil || state.State.Msgs == 0 {
		return 1, err
	}
	newest, err := to.GetMsg(ctx, state.State.LastSeq)
	if err != nil {
		return 0, err
	}
	when, err := time.Parse(time.RFC3339Nano, newest.Header.Get(seen))
	if err != nil {
		return 0, fmt.Errorf("pipeline: the stream of releases holds something else, must hold releases alone")
	}
	if err = s.same(newest.Header); err != nil {
		return 0, err
	}
	at, err := js.OrderedConsumer(ctx, s.From, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &when})
	if err != nil {
		return 0, err
	}
	msg, err := at.Next(jetstream.FetchMaxWait(3 * time.Second))
	if errors.Is(err, nats.ErrTimeout) {
		return 1, nil // the record is gone, and so are those before it
	} else if err != nil {
		return 0, err
	}
	meta, err := msg.Metadata()
	if err != nil {
		return 0, err
	}
	return int64(meta.Sequence.Stream), nil
}

// same refuses to go on behind releases that were made otherwise: records that come again
// would be released a second time, under names that the server does not know.
func (s *Stream) same(newest nats.Header) error {
	const elsewhere = "take another stream for releases, in which the same records are released once more"
	switch was := newest.Get(scheme); {
	case was == "":
		return fmt.Errorf("pipeline: the stream of releases was begun by an earlier version, which drew noise by a scheme before %q; go on with that version, or %s", shard.Scheme, elsewhere)
	case was != s.Known.Scheme:
		return fmt.Errorf("pipeline: the stream of releases was begun by the scheme %q, and this version draws noise by %q; %s", was, s.Known.Scheme, elsewhere)
	case newest.Get(numerics) != s.Known.Numerics:
		return fmt.Errorf("pipeline: the stream of releases was begun with the numerics %q, and this machine has %q, which make other releases of the same texts; go on with machines of one kind and the same files, or %s", newest.Get(numerics), s.Known.Numerics, elsewhere)
	}
	return nil
}

// streamBlock is how many records are released at a time.
const streamBlock = 500

// streamFn releases records of a stream.
type streamFn struct {
	Spec string

	stream  Stream
	conn    *nats.Conn
	js      jetstream.JetStream
	waiting [][]byte
	when    []time.Time
}

// Setup connects.
func (f *streamFn) Setup() error {
	if err := json.Unmarshal([]byte(f.Spec), &f.stream); err != nil {
		return fail(err)
	}
	var err error
	f.conn, f.js, err = f.stream.connect()
	return fail(err)
}

// Teardown disconnects.
func (f *streamFn) Teardown() {
	if f.conn != nil {
		f.conn.Close()
	}
}

// ProcessElement keeps a record until there are enough.
func (f *streamFn) ProcessElement(ctx context.Context, m natsio.ConsumerMessage) error {
	f.waiting, f.when = append(f.waiting, m.Data), append(f.when, m.PublishingTime)
	if len(f.waiting) < streamBlock {
		return nil
	}
	return f.flush(ctx)
}

// FinishBundle releases what waits: an engine that stops before runs the records again.
func (f *streamFn) FinishBundle(ctx context.Context) error { return f.flush(ctx) }

// flush releases records and publishes them, each under the name of its id, which takes
// one release and no second.
func (f *streamFn) flush(ctx context.Context) error {
	if len(f.waiting) == 0 {
		return nil
	}
	job, err := json.Marshal(f.stream.Job)
	if err != nil {
		return fail(err)
	}
	p, done, err := enter(ctx, string(job))
	if err != nil {
		return fail(err)
	}
	defer done()
	made, err := p.worker.Messages(ctx, f.waiting)
	if err != nil {
		return fail(err)
	}
	for i, m := range made {
		if m.Release == nil {
			continue
		}
		out := &nats.Msg{Subject: f.stream.To + "." + m.Name, Data: m.Release, Header: nats.Header{
			seen: {f.when[i].Format(time.RFC3339Nano)}, scheme: {f.stream.Known.Scheme}, numerics: {f.stream.Known.Numerics},
		}}
		_, err = f.js.PublishMsg(ctx, out, jetstream.WithExpectLastSequencePerSubject(0))
		var refused *jetstream.APIError
		if err != nil && (!errors.As(err, &refused) || refused.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence) {
			return fail(fmt.Errorf("pipeline: a release cannot be published: %w", err))
		}
	}
	f.waiting, f.when = nil, nil
	return nil
}
