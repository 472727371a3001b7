package table

import (
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// integers says how a Parquet column of integers is rendered: as what its logical
// type says they stand for.
func integers(leaf *parquet.Column) (Kind, func(int64) string) {
	narrow := leaf.Type().Kind() == parquet.Int32
	if logical := leaf.Type().LogicalType(); logical != nil {
		switch t := logical.Value.(type) {
		case *format.DateType:
			return String, func(x int64) string { return time.Unix(0, 0).UTC().AddDate(0, 0, int(x)).Format(time.DateOnly) }
		case *format.TimestampType:
			if t.Unit.Value != nil {
				return String, timestamps(int64(time.Second / t.Unit.Value.Duration()))
			}
		case *format.IntType:
			if !t.IsSigned && narrow {
				return Number, func(x int64) string { return strconv.FormatUint(uint64(uint32(x)), 10) }
			}
			if !t.IsSigned {
				return Number, func(x int64) string { return strconv.FormatUint(uint64(x), 10) }
			}
		}
	}
	return Number, func(x int64) string { return strconv.FormatInt(x, 10) }
}

// timestamps renders times that are counted so many a second.
func timestamps(perSecond int64) func(int64) string {
	return func(x int64) string {
		return time.Unix(x/perSecond, x%perSecond*(int64(time.Second)/perSecond)).UTC().Format(time.RFC3339Nano)
	}
}
