package main

import (
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"     // --runner flink
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"     // --runner spark
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // --runner universal
)
