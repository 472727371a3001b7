package ledger

import (
	"context"
	"strings"
)

// Open opens the ledger at a place: in a database if that begins with
// postgres:// or postgresql://, in the file of that name otherwise.
func Open(ctx context.Context, place string, o Options) (*Ledger, error) {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return OpenPostgres(ctx, place, o)
	}
	return OpenFile(place, o)
}
