package influence

import (
	"fmt"
)

// Settings decide what a student learns. The zero value uses the defaults.
type Settings struct {
	// Words, Phrases and Swaps are how many parts of each text are learnt from: words,
	// constituents, and words with another of the same part of speech in their place.
	// 0 means 6, 2 and 6 for a transformer, and 24, 4 and 24 for what is faster; −1
	// means none.
	Words   int `json:"words"`
	Phrases int `json:"phrases"`
	Swaps   int `json:"swaps"`

	Width  int     `json:"width"`  // of what a context and a part become; 0 means 64
	Epochs int     `json:"epochs"` // 0 means 12
	Batch  int     `json:"batch"`  // 0 means 512
	Rate   float64 `json:"rate"`   // of AdamW at its highest; 0 means 0.001
	Seed   uint64  `json:"seed"`
}

// longest is how many bytes a phrase has at most.
const longest = 120

// withDefaults fills in what is not set, for a teacher.
func (s Settings) withDefaults(slow bool) Settings {
	fill := func(v *int, fast, otherwise int) {
		switch {
		case *v == 0 && slow:
			*v = otherwise
		case *v == 0:
			*v = fast
		}
		*v = max(-1, *v)
	}
	fill(&s.Words, 24, 6)
	fill(&s.Phrases, 4, 2)
	fill(&s.Swaps, 24, 6)
	fill(&s.Width, 64, 64)
	fill(&s.Epochs, 12, 12)
	fill(&s.Batch, 512, 512)
	if s.Rate == 0 {
		s.Rate = 0.001
	}
	return s
}

// Validate reports the first setting out of range.
func (s Settings) Validate() error {
	for _, n := range []struct {
		name           string
		value, lo, top int
	}{
		{"words", s.Words, -1, mostWords},
		{"phrases", s.Phrases, -1, mostWords},
		{"swaps", s.Swaps, -1, mostWords},
		{"width", s.Width, 0, 1024},
		{"epochs", s.Epochs, 0, 1000},
		{"batch", s.Batch, 0, 1 << 16},
	} {
		if n.value < n.lo || n.value > n.top {
			return fmt.Errorf("influence: %s is %d, must be from %d to %d", n.name, n.value, n.lo, n.top)
		}
	}
	if !(s.Rate >= 0 && s.Rate <= 1) {
		return fmt.Errorf("influence: rate is %v, must be positive and at most 1", s.Rate)
	}
	if s.Words < 0 && s.Phrases < 0 {
		return fmt.Errorf("influence: words and phrases are %d, must not both be left out", s.Words)
	}
	return nil
}

// Options say how, not what, to learn.
type Options struct {
	Workers int // 0 means 2
	// Progress, if not nil, is told what is done of which stage.
	Progress func(stage string, done, total int)
	// Keep is a folder where what was read of texts is kept, so that a training that was
	// stopped goes on there; "" keeps nothing. What lies there is as secret as the
	// texts: remove it when the student is saved.
	Keep string
}

// workers returns how many there are.
func (o Options) workers() int {
	if o.Workers < 1 {
		return TeacherWorkers
	}
	return o.Workers
}

func (o Options) tell(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}
