//go:build cloud

package main

// What most do without costs a minute to compile: go build -tags cloud has it.
import (
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // s3://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow" // --runner dataflow
)
