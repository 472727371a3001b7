//go:build !linux

package ledger

import "time"

// MachineNow reads the clocks of this machine. Without a name for its start, what was
// before this process is another boot.
func MachineNow() Moment {
	now := time.Now()
	return Moment{Wall: now.Round(0), Boot: process, Since: now.Sub(started)}
}
