package studio

import (
	"crypto/rand"
	"sync"
)

// Last is the latest of what a tab has made, such as a plan, about which the page asks
// until there is another. Only the latest is kept, since it may be large. The zero value
// holds nothing.
type Last[T any] struct {
	mu    sync.Mutex // guards the rest
	name  string     // "" if there is none
	value T
}

// Keep forgets what was there, keeps v, and returns the name under which the page asks
// about it, which nobody can guess.
func (l *Last[T]) Keep(v T) (name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name, l.value = rand.Text(), v
	return l.name
}

// Find returns what is kept under a name, and whether it is there still.
func (l *Last[T]) Find(name string) (v T, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name == "" || l.name != name {
		return v, false
	}
	return l.value, true
}
