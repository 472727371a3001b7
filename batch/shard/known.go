package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
)

// Known is what a job is, as all of its workers, its folder and its ledger know it. But for
// the scheme and the family of kernels it is digests under the secret, which tell others
// nothing.
type Known struct {
	Scheme string `json:"scheme"`
	// Numerics say how vectors round, a family of kernels and a digest; "" if every machine
	// computes the same bits.
	Numerics string `json:"numerics,omitempty"`
	Does     string `json:"does"`   // settings that decide a release
	Layout   string `json:"layout"` // those that decide how it is written
	Files    string `json:"files,omitempty"`
	// Legacy is the name that an earlier version gave the job, "" if it has one of its own.
	Legacy string `json:"legacy,omitempty"`
}

// Settle says what the job is that releases these chunks, and names it unless it has a
// name: by what it does, by what, and which files at which places. Another job has another
// name, but for a chance of 2⁻⁹⁶. Workers on other machines are held to it.
func (w *Worker) Settle(chunks []Chunk) error {
	k := w.known
	var files, places []string
	for i, c := range chunks {
		if i > 0 && c.File == chunks[i-1].File {
			continue
		}
		place := c.File
		if !remote(place) {
			abs, err := filepath.Abs(place)
			if err != nil {
				return fmt.Errorf("shard: %w", err)
			}
			place = abs
		}
		files = append(files, strconv.Quote(base(c.File))+" "+c.Digest)
		places = append(places, strconv.Quote(place)+" "+c.Digest)
	}
	slices.Sort(files)
	k.Files = w.key.seal("files", files...)
	if w.spec.Name == "" {
		var err error
		if k.Legacy, err = w.legacy(chunks); err != nil {
			return err
		}
		w.spec.Name = w.key.seal("job", append([]string{k.Does, k.Numerics}, places...)...)
	}
	w.spec.Known = &k
	return nil
}

// identify finds what of a job this process knows by itself, and refuses to work for a job
// that is another one: its releases would be others.
func (w *Worker) identify() error {
	s := *w.spec
	s.In, s.Out, s.OutFormat, s.SplitBytes, s.Keep = nil, "", "", 0, nil
	s.Name, s.Known, s.Count, s.Secret, s.Trusted = "", nil, false, "", Trusted{} // none of which changes a release
	does, err := json.Marshal(struct {
		Spec  *Spec
		Means string
		Rules []string
		Masks string
	}{&s, w.key.Digest(), w.Rules(), w.masked()})
	if err != nil {
		return fmt.Errorf("shard: the job cannot be written: %w", err)
	}
	layout, err := json.Marshal([]any{w.spec.OutFormat, w.spec.SplitBytes, w.spec.Keep})
	if err != nil {
		return fmt.Errorf("shard: the job cannot be written: %w", err)
	}
	w.known = Known{Scheme: Scheme, Does: w.key.seal("does", string(does)), Layout: w.key.seal("layout", string(layout))}
	if w.known.Numerics, err = w.numerics(); err != nil || w.spec.Known == nil {
		return err
	}
	begun := w.spec.Known
	switch {
	case begun.Scheme != Scheme:
		return fmt.Errorf("shard: the job draws noise by the scheme %q, this worker by %q, must be the same: run one version everywhere", begun.Scheme, Scheme)
	case begun.Numerics != w.known.Numerics:
		return fmt.Errorf("shard: this worker %s; run all of a job on machines of one kind, with the same files", unlike(begun.Numerics, w.known.Numerics))
	case begun.Does != w.known.Does:
		return fmt.Errorf("shard: this worker has other masks, another encoder, mechanism or secret than who began the job, must have the same files")
	}
	return nil
}

// numerics say how vectors round on this machine: those of the encoder, and of what is
// masked by networks before it.
func (w *Worker) numerics() (string, error) {
	if w.encoder == nil {
		return "", nil
	}
	n, err := encode.NumericsOf(w.encoder)
	if err != nil {
		return "", fmt.Errorf("shard: %w", err)
	}
	for _, m := range w.maskers {
		if r, ok := m.(interface{ Rounds() bool }); ok && r.Rounds() {
			n.Kernel = nn.NewPool(1).Rounding() + " " + runtime.GOARCH // their activations are of Go's library
		}
	}
	if n.Exact() {
		return "", nil
	}
	family := n.Kernel
	if family == "" {
		family = anyKernel
	}
	return family + ":" + w.key.seal("numerics", n.Kernel, n.Bits, n.Weights), nil
}

// anyKernel stands for the family of kernels where all give the same bits of the same files.
const anyKernel = "any"

// unlike says what differs between two numerics, for errors.
func unlike(begun, here string) string {
	was, _, _ := strings.Cut(begun, ":")
	is, _, _ := strings.Cut(here, ":")
	if was == is {
		return fmt.Sprintf("makes vectors with the numerics %s, must be those of the job, %s: the encoder's files or their bits are others, so that the same texts would have other releases", here, begun)
	}
	return fmt.Sprintf("makes vectors with the numerics %s, must be those of the job, %s: its kernels (%s, not %s) round otherwise, so that the same texts would have other releases", orExact(here), orExact(begun), orExact(is), orExact(was))
}

// orExact names numerics that need no name.
func orExact(numerics string) string {
	if numerics == "" {
		return "exact"
	}
	return numerics
}

// maskProbe has something of what masks find.
const maskProbe = "Dear Ms. Ann Lee, John Smith of Acme Corp. wrote from Paris to ada@example.org on 12 March 2020; call +44 20 7946 0958. The good film was on TV."

// masked is what becomes of a text by the masks of this worker: another one where lists or
// the secret of pseudonyms are others.
func (w *Worker) masked() string {
	return text.Apply(maskProbe, text.Mask(maskProbe, nil, w.maskers...), " ")
}

// legacyScheme is that of the version before, whose jobs are refused.
const legacyScheme = "sotto batch 1"

// legacy returns the name that the version before gave the job.
func (w *Worker) legacy(chunks []Chunk) (string, error) {
	s := *w.spec
	s.Out, s.Count, s.Secret, s.Trusted, s.Name, s.Known = "", false, w.secret.ID(), Trusted{}, "", nil
	old := slices.Clone(chunks)
	for i := range old {
		old[i].Digest, old[i].Twin = "", 0
	}
	b, err := json.Marshal(struct {
		Version string
		Spec    *Spec
		Means   string
		Chunks  []Chunk
		Rules   []string
	}{legacyScheme, &s, w.key.Digest(), old, w.Rules()})
	if err != nil {
		return "", fmt.Errorf("shard: the job cannot be written: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12]), nil
}
