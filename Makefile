# The pinned tools stand here and nowhere else; they are installed into bin/ and never reach go.mod.
GOLANGCI_LINT := v2.15.0
GOFUMPT       := v0.12.0

BIN  := $(CURDIR)/bin
LINT := $(BIN)/golangci-lint-$(GOLANGCI_LINT)
FMT  := $(BIN)/gofumpt-$(GOFUMPT)

# SQLite's C code, translated, keeps its pointers in memory that Go neither moves nor frees: checking each of them finds nothing and doubles the tests' time.
FOREIGN := -gcflags=modernc.org/...=-d=checkptr=0

FUZZTIME  ?= 1m
BENCHTIME ?= 1x
LONG      ?= 100
HISTORIES ?= 1000000
RESTORES  ?= 2000
DRAWS     ?= 20000
FIRST     ?= 0

.PHONY: all build vet test lint tools fmt fmt-check fuzz bench trials truth restores draws docs licences screens cases clean

all: vet fmt-check lint build test

build: ; go build -trimpath -o $(BIN)/idemctl ./cmd/idemctl
vet:   ; go vet -tags cases ./...
test:  ; go test -race $(FOREIGN) -shuffle=on -timeout 30m ./...
tools: $(LINT) $(FMT)

lint: $(LINT)
	$(LINT) run --allow-parallel-runners ./...

fmt: $(FMT)
	$(FMT) -l -w cmd internal fixtures

fmt-check: $(FMT)
	@changed=$$($(FMT) -l $(wildcard cmd internal fixtures)) && test -z "$$changed" || { echo "gofumpt would change (run make fmt):"; echo "$$changed"; exit 1; }

# Every fuzz target for FUZZTIME each; their seeds run in every go test.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; done

# Prints what a scan costs beside a bare read of the same files, what the console does with a million cases,
# for a key and while nobody touches it, and how long the program takes to its first screen.
bench: ; go test -run '^$$' -bench . -benchtime $(BENCHTIME) -timeout 60m ./internal/... ./cmd/...

# The trials of the audit trail LONG times as large as in every go test: kills, faults, contention, changed bytes, older copies.
trials: ; go test -count=1 -timeout 4h -run 'Kill|Contend|Faults|LockTraps|FlippedBytes|NoFalseAlarm|Life' -v ./internal/audit -long $(LONG)

# Judges HISTORIES simulated pasts, from the seed FIRST on, on every core, and holds each against what happened; prints what was found of every fault, and what
# stays undetermined and why. A million take about ten minutes on two cores.
truth: ; go test -count=1 -timeout 4h -run '^TestTruth$$' -v ./internal/histories -histories $(HISTORIES) -first $(FIRST)

# Audits generated restores, RESTORES of each of the eight kinds and two and a half times as many healthy pasts: see internal/histories.
restores: ; go test -count=1 -timeout 4h -run '^(TestRestores|TestHealthyCrowds)$$' -v ./internal/histories -restores $(RESTORES)

# Holds the sieve against judging all, and each row told twice against once, on DRAWS stores of a few rows that no other run has drawn.
draws: ; go test -count=1 -timeout 4h -run '^(TestSieveEqualsJudgingAll|TestRepetitionOfDrawsChangesNothing)$$' ./internal/scan -rapid.checks=$(DRAWS) -rapid.seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')

# Writes the pages of docs/ that are made from the tables in the code; a test fails while they are stale.
docs:
	go test ./cmd/idemctl -run '^TestDocs$$' -count=1 -update
	go test ./internal -run '^TestLicences$$' -count=1 -update

# Lists the licence of every module that the program and its tests use, and fails for one that cannot be told or that is older than its floor.
licences: ; go test ./internal -run '^TestLicences$$' -count=1 -v

# Writes the text screens of docs/screens and docs/walkthrough.md, and those that tests keep; a test fails while they are stale.
screens: ; go test ./internal/tui -run '^(TestScreens|TestStyles|TestWalkthrough)$$' -count=1 -update

# Runs the checks over foreign files that are not part of this repository: make cases CASES=DIR
cases:
	@test -n "$(CASES)" && test -d "$(CASES)" || { echo "make cases CASES=DIR: DIR is the folder with the cases"; exit 2; }
	IDEMCTL_CASES="$(abspath $(CASES))" go test -tags cases -count=1 -run '^TestCases' -v ./cmd/idemctl

clean: ; rm -rf $(BIN)

# The version is part of the file's name, so a new pin installs anew.
$(LINT): ; GOBIN=$(BIN)/.new go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT) && mv $(BIN)/.new/golangci-lint $@
$(FMT):  ; GOBIN=$(BIN)/.new go install mvdan.cc/gofumpt@$(GOFUMPT) && mv $(BIN)/.new/gofumpt $@
