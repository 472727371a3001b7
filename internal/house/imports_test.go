package house_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// neighbours says what the code of a package, without its tests, may import.
type neighbours struct {
	own    []string // packages of this module
	anyOwn bool     // all packages of this module
	only   bool     // nothing but own and the standard library
}

// mayImport is the map of this module. A new package is entered here first.
var mayImport = map[string]neighbours{
	"dp":                            {only: true},
	"noise":                         {only: true},
	"mech":                          {own: []string{"dp", "noise", "internal/nearest"}},
	"audit":                         {own: []string{"dp", "noise", "mech", "internal/fault", "internal/lineproc"}},
	"server/kserve":                 {own: []string{"internal/strictjson"}},
	"server/kserve/protobuf":        {own: []string{"server/kserve"}},
	"server":                        {own: []string{"dp", "nn", "train/model", "internal/fault", "internal/httpserve", "server/kserve", "internal/regular", "server/kserve/protobuf", "internal/httpserve/grpc"}},
	"client":                        {own: []string{"dp", "server/kserve"}, only: true},
	"gateway":                       {own: []string{"gateway/guess", "gateway/keys", "dp", "noise", "mech", "nn", "text", "encode", "ledger", "train/model", "client", "internal/atomicfile", "internal/httpserve", "internal/strictjson", "internal/regular", "internal/fault"}},
	"gateway/guess":                 {own: []string{"encode", "nn", "text"}},
	"gateway/keys":                  {own: []string{"internal/atomicfile", "internal/regular"}},
	"ledger/footing":                {own: []string{"internal/fault"}, only: true},
	"ledger/clock":                  {only: true},
	"ledger/witness":                {own: []string{"ledger/clock", "internal/atomicfile", "internal/regular"}},
	"ledger":                        {own: []string{"dp", "internal/atomicfile", "ledger/book", "ledger/clock", "ledger/file", "ledger/footing", "ledger/format1", "ledger/logfile", "ledger/postgres", "ledger/record", "ledger/witness"}},
	"ledger/book":                   {own: []string{"dp", "ledger/record"}},
	"ledger/file":                   {own: []string{"internal/fault", "ledger/footing", "ledger/book", "ledger/format1", "ledger/logfile", "ledger/record"}},
	"ledger/format1":                {own: []string{"internal/fault"}},
	"ledger/logfile":                {own: []string{"internal/atomicfile"}},
	"ledger/postgres":               {own: []string{"ledger/footing", "ledger/book", "ledger/record"}},
	"ledger/part":                   {own: []string{"ledger", "ledger/book", "ledger/postgres"}},
	"ledger/record":                 {},
	"nn":                            {own: []string{"dp", "noise"}},
	"nn/peer/blas":                  {only: true},
	"dp/dptest":                     {own: []string{"dp", "noise"}},
	"dataset":                       {own: []string{"dataset/relate", "internal/nearest", "internal/regular"}, only: true},
	"dataset/own":                   {own: []string{"dataset", "dataset/table", "link/persons"}},
	"dataset/fetch":                 {own: []string{"dataset", "internal/atomicfile"}},
	"dataset/inspect":               {own: []string{"dataset", "dataset/table", "internal/shell"}},
	"dataset/table":                 {own: []string{"dataset", "internal/nearest", "internal/rowfile"}},
	"dataset/sample":                {},
	"text":                          {own: []string{"internal/regular"}, only: true},
	"language":                      {only: true},
	"language/conllu":               {own: []string{"language"}, only: true},
	"language/score":                {own: []string{"language"}, only: true},
	"language/parse":                {own: []string{"language", "nn", "nn/vector"}, only: true},
	"language/guess":                {},
	"language/sentence":             {own: []string{"language"}, only: true},
	"language/model":                {own: []string{"language", "language/parse", "language/sentence", "internal/atomicfile", "internal/regular"}, only: true},
	"language/english":              {own: []string{"language", "language/model", "language/names", "language/personal"}, only: true},
	"language/large":                {own: []string{"encode/bert", "encode/bert/tune", "internal/regular", "language", "language/model", "language/parse", "language/sentence"}},
	"language/lexicon":              {own: []string{"internal/regular", "text"}},
	"language/mask":                 {own: []string{"language", "language/english", "language/personal", "link/mention", "relation/personal", "text"}},
	"language/names":                {own: []string{"language", "nn/vector"}, only: true},
	"language/peer":                 {own: []string{"language", "language/conllu", "language/english", "language/names"}}, // a module of its own
	"language/personal":             {own: []string{"language"}, only: true},
	"encode":                        {own: []string{"text", "nn", "encode/svec", "encode/wordfile", "internal/lineproc", "internal/regular"}},
	"nn/vector":                     {only: true},
	"nn/transformer":                {own: []string{"nn", "nn/vector"}},
	"nn/textcnn":                    {own: []string{"nn"}},
	"nn/sequence":                   {own: []string{"nn", "nn/vector"}},
	"nn/transformer/tiny":           {own: []string{"internal/safetensors"}},
	"encode/bert":                   {own: []string{"text", "nn", "nn/transformer", "nn/vector", "internal/safetensors", "internal/regular"}},
	"encode/bert/tune":              {own: []string{"text", "measure", "nn", "nn/transformer", "encode/bert", "internal/atomicfile", "internal/regular", "internal/safetensors"}},
	"encode/bert/tag":               {own: []string{"encode/bert", "encode/bert/tune", "nn"}},
	"experiment/distilled":          {own: []string{"channel", "dataset", "encode", "encode/bert", "encode/bert/tune", "encode/catalogue", "encode/distill", "encode/static", "experiment", "experiment/prepared", "measure", "nn", "train", "train/model"}},
	"experiment/tuned":              {own: []string{"dataset", "encode/bert", "encode/bert/tune", "encode/catalogue", "experiment/prepared", "nn", "train", "train/model", "internal/atomicfile", "internal/regular"}},
	"encode/catalogue":              {own: []string{"encode", "encode/bert", "encode/static", "internal/nearest", "internal/regular"}},
	"encode/cells":                  {own: []string{"channel", "dp", "mech", "nn", "nn/vector", "text", "internal/atomicfile", "internal/regular"}},
	"encode/cells/outcome":          {own: []string{"encode/cells", "measure", "report/evidence", "report/page"}},
	"encode/cells/shipped":          {own: []string{"encode/catalogue", "encode/cells", "mech"}},
	"encode/distill":                {own: []string{"text", "nn", "encode/static"}},
	"encode/static":                 {own: []string{"text", "internal/atomicfile", "internal/regular"}},
	"encode/svec":                   {own: []string{"encode/wordfile", "internal/atomicfile", "internal/regular"}},
	"encode/textfile":               {own: []string{"dataset/table", "internal/nearest"}},
	"encode/wordfile":               {only: true},
	"measure":                       {own: []string{"dp", "nn"}},
	"channel":                       {own: []string{"dp", "nn"}},
	"attack":                        {own: []string{"dp", "mech", "nn", "dataset", "text", "encode", "measure", "internal/atomicfile", "internal/nearest"}},
	"bias":                          {own: []string{"dp", "noise", "mech", "measure", "encode", "encode/svec", "encode/wordfile", "internal/atomicfile"}},
	"bias/weat":                     {own: []string{"dp", "mech", "bias", "bias/precision", "measure", "nn", "report/evidence", "report/page", "report/plain", "internal/nearest"}},
	"bias/precision":                {},
	"bias/direction":                {own: []string{"dp", "mech", "bias", "encode/wordfile", "measure", "nn", "report/evidence", "report/page", "report/plain"}},
	"bias/erase":                    {own: []string{"dp", "mech", "bias", "bias/direction", "bias/weat", "nn", "measure", "internal/atomicfile", "internal/vecfile", "report/evidence", "report/page", "internal/nearest"}},
	"report/page":                   {only: true},
	"report/page/pagetest":          {only: true},
	"report/curve":                  {own: []string{"dp", "report/page"}},
	"report/plain":                  {own: []string{"dp", "mech", "report/page"}},
	"report/picture":                {own: []string{"experiment", "report/evidence", "report/page"}},
	"train/model":                   {own: []string{"channel", "dataset", "dp", "noise", "mech", "nn", "internal/atomicfile", "internal/safetensors", "internal/regular"}},
	"train/layer":                   {own: []string{"nn"}},
	"train/objective":               {own: []string{"channel", "dp", "measure", "nn"}},
	"train":                         {own: []string{"channel", "dp", "measure", "mech", "nn", "train/layer", "train/model", "train/objective", "internal/memo", "internal/safetensors"}},
	"experiment/score":              {own: []string{"dp", "measure"}},
	"experiment":                    {own: []string{"language/mask", "experiment/score", "train/objective", "attack", "channel", "dp", "mech", "nn", "dataset", "dataset/own", "encode/bert", "encode/bert/tune", "encode/catalogue", "encode/cells/shipped", "experiment/prepared", "experiment/tuned", "measure", "measure/plane", "train", "train/layer", "train/model", "internal/atomicfile", "internal/nearest"}},
	"experiment/prepared":           {own: []string{"language/mask", "dataset", "dataset/own", "encode", "encode/catalogue", "mech", "nn", "text", "train", "train/model"}},
	"train/forward":                 {own: []string{"dp", "estimate", "measure", "mech", "nn", "report/evidence", "report/page", "train/model"}},
	"experiment/reproduce/shares":   {own: []string{"dataset", "dataset/table", "dp", "estimate", "internal/layout", "internal/nearest", "measure", "mech", "report/evidence", "report/page"}},
	"experiment/reproduce/aec":      {own: []string{"dataset", "encode", "internal/atomicfile", "internal/layout", "language", "measure", "measure/errors", "measure/errors/feature", "measure/errors/forest", "nn", "nn/textcnn", "report/evidence", "report/page"}},
	"experiment/reproduce/decoder":  {own: []string{"dataset", "encode", "internal/atomicfile", "internal/layout", "measure", "nn", "relation", "relation/induce", "relation/joint", "relation/outcome", "relation/rule", "relation/score", "report/evidence", "report/page"}},
	"experiment/reproduce":          {own: []string{"report/evidence", "report/page", "experiment/reproduce/declared", "dp", "mech", "nn", "dataset", "encode", "encode/catalogue", "measure", "text", "internal/nearest", "internal/layout"}},
	"measure/errors":                {own: []string{"dp", "internal/atomicfile", "internal/nearest", "internal/regular", "measure", "measure/errors/forest", "mech", "nn", "noise", "report/evidence", "report/page"}},
	"measure/errors/forest":         {own: []string{"measure", "nn"}},
	"measure/errors/feature":        {own: []string{"language", "language/english", "language/lexicon", "measure/errors"}},
	"measure/kept":                  {own: []string{"measure", "mech", "nn", "noise"}},
	"link":                          {},
	"dataset/relate":                {only: true},
	"relation":                      {own: []string{"dataset", "dataset/relate", "internal/atomicfile", "language", "language/english", "relation/personal", "relation/rule"}},
	"relation/induce":               {own: []string{"dataset", "language", "language/english", "relation", "relation/rule"}},
	"relation/personal":             {own: []string{"language", "relation/rule"}, only: true},
	"relation/judge":                {own: []string{"dataset", "language", "measure", "relation", "relation/induce", "relation/personal", "relation/rule", "relation/score", "report/evidence", "report/page"}},
	"relation/marks":                {own: []string{"encode/bert", "encode/bert/tune", "internal/regular", "internal/safetensors", "language", "nn", "nn/sequence", "relation", "relation/gate", "relation/rule", "relation/writer", "text"}},
	"relation/sheet":                {own: []string{"measure", "relation", "report/evidence", "report/page"}},
	"relation/writer":               {own: []string{"nn", "nn/sequence"}},
	"relation/review":               {own: []string{"dataset", "language", "language/english", "relation", "relation/induce", "relation/judge", "relation/rule", "relation/score"}},
	"relation/score":                {only: true},
	"relation/folder":               {own: []string{"language", "relation", "relation/joint", "relation/marks"}},
	"relation/folder/tiny":          {own: []string{"dataset", "nn", "relation", "relation/joint", "relation/rule"}},
	"relation/gate":                 {own: []string{"relation", "relation/rule", "relation/score"}},
	"relation/joint":                {own: []string{"internal/atomicfile", "internal/regular", "internal/safetensors", "language", "nn", "nn/sequence", "relation", "relation/gate", "relation/rule", "relation/score", "relation/writer"}},
	"relation/outcome":              {own: []string{"dataset", "measure", "relation", "relation/gate", "relation/rule", "relation/score", "report/evidence", "report/page"}},
	"relation/rule":                 {own: []string{"internal/nearest", "language"}, only: true},
	"explain":                       {own: []string{"text"}, only: true},
	"influence":                     {own: []string{"dataset", "encode", "encode/catalogue", "explain", "influence/teacher", "internal/atomicfile", "internal/safetensors", "language", "language/english", "measure", "nn", "report/evidence", "report/page", "text", "train/model"}},
	"influence/teacher":             {own: []string{"dataset", "encode", "encode/bert", "encode/bert/tune", "encode/catalogue", "encode/static", "nn", "text", "train/model"}},
	"explain/linear":                {own: []string{"encode", "encode/bert", "encode/bert/tune", "encode/catalogue", "explain", "nn", "text"}},
	"explain/decoy":                 {own: []string{"explain", "explain/linear", "internal/nearest", "language", "language/english", "measure", "report/evidence", "report/page", "text"}},
	"explain/summary":               {own: []string{"explain", "explain/predictor", "measure", "report/evidence", "report/page"}},
	"explain/release":               {own: []string{"dp", "explain", "mech", "text"}},
	"explain/predictor":             {own: []string{"dataset", "dp", "encode", "encode/bert", "encode/catalogue", "encode/static", "experiment", "explain", "nn", "nn/transformer", "text", "train/model"}},
	"link/agree":                    {only: true},
	"link/alike":                    {only: true},
	"link/clique":                   {own: []string{"link"}, only: true},
	"link/mention":                  {own: []string{"language", "language/names", "link", "link/alike", "text"}},
	"link/mention/judge":            {own: []string{"language", "language/english", "language/names", "link", "link/agree", "link/mention", "measure", "report/evidence", "report/page"}},
	"link/persons":                  {own: []string{"link", "link/records", "link/records/match"}, only: true},
	"link/outcome":                  {own: []string{"link", "link/agree", "link/records", "link/records/match", "measure", "report/evidence", "report/page"}},
	"link/records":                  {own: []string{"encode", "link", "link/agree", "link/records/block", "link/records/field", "link/records/match"}},
	"link/records/block":            {own: []string{"link/records/field"}, only: true},
	"link/records/field":            {own: []string{"link/alike"}, only: true},
	"link/records/match":            {own: []string{"internal/atomicfile", "link/records/field"}, only: true},
	"link/review":                   {own: []string{"link", "link/why"}, only: true},
	"link/rival":                    {own: []string{"link"}, only: true},
	"link/xer":                      {own: []string{"link", "link/agree", "link/clique", "link/graphfile", "link/rival", "link/why", "internal/layout"}},
	"link/why":                      {own: []string{"link"}, only: true},
	"link/graphfile":                {own: []string{"dataset/table", "link"}},
	"estimate":                      {own: []string{"dp", "measure", "mech", "report/evidence", "report/page"}},
	"measure/retrieval":             {own: []string{"dp", "measure", "nn", "report/evidence", "report/page"}},
	"report":                        {own: []string{"encode/cells/outcome", "experiment/reproduce/decoder", "relation/sheet", "experiment/unseen", "relation/judge", "relation/outcome", "estimate", "influence", "experiment/reproduce/aec", "experiment/reproduce/shares", "train/forward", "explain/summary", "link/mention/judge", "link/outcome", "measure/errors", "measure/retrieval", "explain/decoy", "attack", "experiment/reproduce", "experiment/frontier", "experiment/plan", "report/page", "report/plain", "report/curve", "report/picture", "train/model", "dp", "mech", "experiment", "experiment/reproduce/declared", "measure", "report/evidence", "bias/direction", "bias/erase", "bias/weat"}},
	"report/evidence":               {own: []string{"dp", "audit", "experiment", "measure", "mech", "report/page"}},
	"studio":                        {own: []string{"relation/review", "explain", "explain/predictor", "influence", "language", "language/english", "text", "dp", "nn", "measure", "dataset", "dataset/inspect", "dataset/sample", "dataset/table", "encode", "encode/catalogue", "train/model", "experiment", "experiment/plan", "link", "link/graphfile", "link/records", "link/review", "report", "internal/fault", "internal/httpserve", "measure/errors", "measure/errors/feature", "measure/errors/forest"}},
	"report/gate":                   {own: []string{"dp", "report", "report/evidence", "internal/nearest"}},
	"measure/plane":                 {own: []string{"nn"}},
	"experiment/plan":               {own: []string{"channel", "dp", "experiment", "internal/shell", "measure", "nn", "report/evidence", "report/page", "report/plain", "train", "train/model"}},
	"experiment/cache":              {own: []string{"experiment", "internal/atomicfile"}},
	"experiment/counted":            {own: []string{"dataset", "dataset/table", "dp", "experiment", "experiment/score", "measure", "mech", "train/model"}},
	"experiment/unseen":             {own: []string{"dp", "dataset", "encode", "encode/catalogue", "encode/cells", "encode/cells/shipped", "experiment/reproduce", "internal/atomicfile", "internal/layout", "internal/nearest", "internal/regular", "measure", "measure/retrieval", "mech", "nn", "report/evidence", "report/page", "report/plain"}},
	"experiment/frontier":           {own: []string{"attack", "encode/bert", "encode/catalogue", "report/evidence", "report/page", "report/plain", "dp", "nn", "dataset", "experiment", "experiment/cache", "measure", "train/model", "internal/nearest", "internal/layout"}},
	"experiment/reproduce/declared": {own: []string{"attack", "dp", "mech", "nn", "dataset", "experiment", "experiment/cache", "measure", "internal/atomicfile", "internal/nearest", "internal/layout"}},
	"batch/shard":                   {own: []string{"dataset", "dataset/table", "dp", "encode", "encode/catalogue", "encode/textfile", "estimate", "experiment", "experiment/counted", "gateway", "internal/atomicfile", "internal/nearest", "internal/release", "internal/vecfile", "internal/vectorise", "internal/version", "measure", "mech", "nn", "noise", "report/evidence", "text", "train/model"}},
	"batch/crew":                    {},                                                                                                            // knows processes, and nothing of what they do
	"batch/pipeline":                {own: []string{"batch/crew", "batch/shard", "internal/cli/term", "ledger", "ledger/part", "report/evidence"}}, // alone knows Beam
	"batch/command":                 {own: []string{"batch/pipeline", "batch/shard", "dp", "estimate", "experiment", "internal/atomicfile", "internal/cli/estimate", "internal/cli/term", "internal/fault", "internal/vecfile", "ledger", "mech"}},
	"batch/cmd/sotto-batch":         {own: []string{"batch/command", "batch/pipeline", "internal/cli/term"}},
	"integration":                   {}, // a module of its own, which imports nothing from here
	"deploy/dist":                   {own: []string{"deploy/pack", "internal/version"}, only: true},
	"deploy/pack":                   {only: true},
	"cmd/sotto":                     {own: []string{"internal/cli", "internal/cli/term"}},
	"internal/cli":                  {anyOwn: true},
	"internal/cli/clitest":          {own: []string{"internal/cli", "internal/cli/term"}},
	"internal/cli/term":             {own: []string{"relation/folder", "language/guess", "language/mask", "dataset/table", "encode", "encode/cells", "encode/cells/shipped", "encode/textfile", "internal/atomicfile", "internal/vecfile", "measure", "mech", "noise", "text", "internal/nearest", "internal/layout", "internal/regular"}},
	"internal/cli/attack":           {anyOwn: true},
	"internal/cli/bias":             {anyOwn: true},
	"internal/cli/explain":          {anyOwn: true},
	"internal/cli/influence":        {anyOwn: true},
	"internal/cli/link":             {anyOwn: true},
	"internal/cli/claims":           {anyOwn: true},
	"internal/cli/data":             {anyOwn: true},
	"internal/cli/errors":           {anyOwn: true},
	"internal/cli/estimate":         {anyOwn: true},
	"internal/cli/language":         {anyOwn: true},
	"internal/cli/learn":            {anyOwn: true},
	"internal/cli/man":              {own: []string{"internal/atomicfile", "internal/version"}},
	"internal/cli/measure":          {anyOwn: true},
	"internal/cli/relation":         {anyOwn: true},
	"internal/cli/report":           {anyOwn: true},
	"internal/cli/reproduce":        {anyOwn: true},
	"internal/cli/serve":            {anyOwn: true},
	"internal/cli/studio":           {anyOwn: true},
	"internal/cli/vectors":          {anyOwn: true},
	"internal/atomicfile":           {only: true},
	"internal/fault":                {only: true},
	"internal/layout":               {},
	"internal/lineproc":             {only: true},
	"internal/memo":                 {only: true},
	"internal/nearest":              {only: true},
	"internal/shell":                {only: true},
	"internal/strictjson":           {only: true},
	"internal/httpserve":            {own: []string{"internal/fault", "internal/regular"}},
	"internal/httpserve/grpc":       {only: true},
	"internal/httpserve/servetest":  {only: true},
	"internal/testenv":              {own: []string{"dataset", "encode/catalogue"}, only: true},
	"internal/version":              {only: true},
	"internal/vectorise":            {own: []string{"dataset/table", "dp", "noise", "nn", "text", "encode", "encode/bert", "encode/textfile", "internal/vecfile"}},
	"internal/pgtest":               {},
	"internal/outside":              {only: true},
	"internal/docs":                 {only: true},
	"internal/fortress":             {only: true},
	"internal/rowfile":              {},
	"internal/house":                {only: true},
	"internal/regular":              {only: true},
	"internal/release":              {own: []string{"dp", "noise", "internal/fault", "internal/vecfile"}},
	"internal/safetensors":          {own: []string{"internal/atomicfile", "internal/regular"}},
	"internal/vecfile":              {own: []string{"internal/atomicfile", "internal/rowfile", "internal/nearest"}},
}

// directions finds packages that are not on the map and imports against it.
func directions(t *tree) []string {
	var found []string
	unknown := map[string]bool{}
	for _, s := range t.code {
		allowed, ok := mayImport[s.dir()]
		if !ok && !unknown[s.dir()] {
			unknown[s.dir()] = true
			found = append(found, s.dir()+": package is not in mayImport of internal/house")
		}
		if !ok || s.isTest() {
			continue
		}
		for _, spec := range s.file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err != nil || !allowed.permit(imported) {
				found = append(found, fmt.Sprintf("%s: %s may not import %s", t.at(spec), s.dir(), spec.Path.Value))
			}
		}
	}
	return found
}

// permit reports whether an import path is allowed. The standard library's
// paths are those without a dot in the first element.
func (n neighbours) permit(imported string) bool {
	if own, ok := strings.CutPrefix(imported, module+"/"); ok {
		return n.anyOwn || slices.Contains(n.own, own)
	}
	first, _, _ := strings.Cut(imported, "/")
	return !n.only || !strings.Contains(first, ".")
}

func TestImports(t *testing.T) {
	enforce(t, directions, []example{
		{
			name:  "downward",
			files: map[string]string{"mech/a.go": "package mech\nimport \"sotto/dp\""},
		},
		{
			name:  "the command",
			files: map[string]string{"internal/cli/cli.go": "package cli\nimport (\n\"os\"\n\"sotto/audit\"\n)"},
		},
		{
			name:  "a test",
			files: map[string]string{"dp/a_test.go": "package dp_test\nimport \"sotto/mech\""},
		},
		{
			name:  "upward",
			files: map[string]string{"dp/a.go": "package dp\nimport \"sotto/mech\""},
			want:  `dp/a.go:2: dp may not import "sotto/mech"`,
		},
		{
			name:  "outside the standard library",
			files: map[string]string{"noise/a.go": "package noise\nimport \"golang.org/x/sys/cpu\""},
			want:  `noise may not import "golang.org/x/sys/cpu"`,
		},
		{
			name:  "not on the map",
			files: map[string]string{"util/a.go": "package util", "util/b.go": "package util"},
			want:  "util: package is not in mayImport",
		},
	})
}
