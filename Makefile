# Each target is one command, so that it can also be typed by hand.

COUNT ?= 1
FUZZTIME ?= 30s
# Tests on real data find it here; without it they are skipped.
SOTTO_DATA ?= $(abspath $(wildcard ../shared/data))
export SOTTO_DATA

.PHONY: cells all build test long race lint fuzz bench bench-ledger load load-postgres kill crash attack fuzz-services files-audit bench-peer bench-mdl forest-oracle bench-encoder bench-language bench-tune tag decoys influence relations docs golden proofs cover budget dist kube vuln units ci

all: build test lint

build: # the command, into bin
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/...

test: # every test, with short statistics
	go test ./...

long: # every test, with long statistics
	SOTTO_LONG=1 go test ./...

race: # what -short keeps of the packages with goroutines, under the race detector
	.ci/race -shuffle=on

lint: # the linters and formatters of .golangci.yml
	.ci/lint

fuzz: # every fuzz target for FUZZTIME
	.ci/fuzz $(FUZZTIME)

bench: # every benchmark, COUNT times
	go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...

bench-peer: # the training engine against PyTorch and OpenBLAS, on this machine
	compute/nn/peer/run

load: # a thousand clients of a gateway for a minute, and what the ledger costs
	SOTTO_LOAD=60s go test ./service/gateway -run '^TestLoad$$' -v -count=1

load-postgres: # two gateways on one PostgreSQL, asked for 1, 16 and 64 texts at a time: paid releases a second, and processor time by part; one minute
	SOTTO_LOAD=15s go test ./service/gateway -run '^TestLoadPostgres$$' -v -count=1

bench-ledger: # one, two and four processes that spend on one PostgreSQL, undivided and in parts; one minute
	SOTTO_LEDGER_BENCH=10s go test ./service/ledger -run '^TestBench$$' -v -count=1

kill: # a gateway and a ledger under load, each killed 300 times
	SOTTO_KILLS=300 go test ./service/ledger ./service/gateway -run '^TestKill' -v -count=1 -timeout 30m

crash: # a thousand histories of a ledger on a disk that forgets, stopped and opened again at each of its operations, and PostgreSQL at each statement
	SOTTO_CRASHES=1000 go test ./service/ledger -run '^TestCrash' -v -count=1 -timeout 120m
	go test -C batch ./pipeline -run '^TestCrash$$' -v -count=1

attack: # every attack on gateway, ledger and server, against real processes, and a table of them
	SOTTO_ATTACK=full go test -C service/fortress -count=1 -timeout 60m

fuzz-services: # a gateway, servers and a studio under requests of a grammar for FUZZTIME, as FUZZTIME=1h
	SOTTO_FUZZ_SERVICES=$(FUZZTIME) go test -C service/fortress -run '^TestServices$$' -count=1 -v -timeout 0

files-audit: # sotto audit files over sotto's own commands, and a table of them; a quarter of an hour
	SOTTO_FILES=1 go test -C service/fortress -run '^TestFiles$$' -count=1 -timeout 2h

bench-mdl: # the description length against scikit-learn, on this machine
	compute/measure/peer/run

forest-oracle: # the random forest against scikit-learn on features of real texts; needs SOTTO_DATA
	compute/forest/oracle

bench-encoder: # the transformer against ONNX Runtime, on this machine
	text/encode/bert/peer/run

bench-language: # tags, names and speed against prose, on this machine; needs SOTTO_DATA
	study/language/peer/run

bench-tune: # a step of tuning a transformer against PyTorch, on this machine
	compute/nn/transformer/peer/run

tag: # parts of speech by a transformer with a label a word, trained on 600 sentences
	SOTTO_TAG=1 go test ./text/encode/bert/tune -run '^TestUPOS$$' -count=1 -v -timeout 2h

decoys: # the tables of docs/decoys.md: five decoys over words, one over vectors; half an hour
	study/explain/decoy/run

influence: # the tables of docs/influence.md, for the built-in encoder and MiniLM; an hour
	study/influence/run

relations: # train the network of relations on SemEval-2010, and hold what is asked of it; minutes on two cores
	SOTTO_RELATIONS=1 go test ./study/relation/command -run '^TestSemEval$$' -count=1 -v -timeout 2h

cells: # make the public cells that come with sotto, of WordNet's examples and sentences of reviews; minutes
	.ci/cells

docs: # every command of every page, also those that take an hour
	SOTTO_LONG=1 SOTTO_DOCS=all go test ./internal/docs -count=1 -timeout 6h

golden: # rewrite golden files, in the packages whose tests have a flag -update
	grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n 1 dirname | sort -u | xargs -r -I DIR go test DIR -update

proofs: # write into each proof the digest of the code that it was read against
	go test ./internal/house -run '^TestProofs$$' -count=1 -stamp

cover: # the share of statements that tests run
	go test -coverprofile=coverage.out ./... && go tool cover -func=coverage.out | tail -n 1

budget: # sizes of files and functions; fails above the limits
	go test ./internal/house -run '^TestBudget$$' -count=1 -v

dist: # archives for six platforms, Debian packages, checksums and bills of materials, into dist
	rm -rf dist
	go run ./deploy/dist --out dist

kube: # deploy/kubernetes against the schemas of Kubernetes, by kubeconform
	.ci/kube

vuln: # known vulnerabilities in what we call, where their database is reachable
	.ci/vuln

units: # the Debian package under a systemd that is booted for it, as root
	.ci/units

ci: # everything that a change must pass
	.ci/run
