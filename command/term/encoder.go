package term

import (
	"context"

	"github.com/spf13/pflag"

	"sotto/text/encode/catalogue"
)

// AddModelEncoder declares --encoder for a command that takes a model and no encoder of
// its own, and where encoders may lie.
func AddModelEncoder(fs *pflag.FlagSet) {
	fs.String("encoder", "", "encoder that the model's manifest names, said again: permits a program or an address, which no file may choose (default: none of these)")
	AddEncoderRoots(fs)
}

// rootFlag names a folder in which encoders may lie that files name.
const rootFlag = "encoder-root"

// AddEncoderRoots declares where encoders may lie that a manifest names.
func AddEncoderRoots(fs *pflag.FlagSet) {
	fs.StringArray(rootFlag, nil, "folder in which encoders may lie that a manifest names, besides its own, the two above, SOTTO_MODELS and SOTTO_DATA; the flag may be given several times")
}

// speaking are the flags whose value is an encoder that a person names.
var speaking = []string{"encoder", "parent"}

// Permit returns a context that carries which encoders stand on a command line, and where
// others may lie. Call it before settings are read from anywhere else.
func Permit(ctx context.Context, fs *pflag.FlagSet) context.Context {
	for _, name := range speaking {
		f := fs.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			ctx = catalogue.Permit(ctx, catalogue.Said(v))
		}
	}
	if dirs, err := fs.GetStringArray(rootFlag); err == nil {
		ctx = catalogue.Within(ctx, dirs...)
	}
	return ctx
}
