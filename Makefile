# SPDX-License-Identifier: GPL-2.0-only
# tenant-switch. `make help` says what there is.

B := build
SKELETON := $(B)
# Without gcc clang does it: the demo then needs one compiler.
ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,$(or $(CLANG),clang))
endif
CLANG ?= clang
BPFTOOL ?= bpftool
MPICC ?= mpicc.mpich
OBJCOPY ?= objcopy
PROTOC_C ?= protoc-c
# What runs a program for another processor: the command tells its own help.
RUN ?=
V ?= 0

# bpftool, ip and ethtool live in sbin, which sudo and plain users may not search.
export PATH := $(PATH):/usr/sbin:/sbin
export BUILD := $(abspath $(B))

CFLAGS ?= -O2 -g
# Rows of tables leave out what is nothing.
WARN := -Wall -Wextra -Wno-missing-field-initializers -Werror
VERSION := $(file <VERSION)
INCLUDES := -Iinclude -Iuser -DTSW_VERSION='"$(VERSION)"'
# What is built does not tell in which directory.
PREFIX_MAP := -ffile-prefix-map=$(CURDIR)=.
HOST_CFLAGS := $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(WARN) -D_GNU_SOURCE $(INCLUDES) -I$(SKELETON) \
	$(PREFIX_MAP)
# protobuf-c is small, and linked in; libcurl is loaded by who needs it, see user/etcd/curl.h.
LDLIBS := -lbpf -lmnl -ljansson -lnftables -l:libprotobuf-c.a
# asm/types.h is in Debian's multiarch directory, which clang -target bpf does not search.
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g $(WARN) -Wno-unused-parameter -Iinclude -Ibpf \
	$(PREFIX_MAP) $(if $(MULTIARCH),-I/usr/include/$(MULTIARCH))

BPF_OBJS := $(patsubst bpf/%.c,$(SKELETON)/bpf/%.o,$(wildcard bpf/*.c))
USER_OBJS := $(patsubst user/%.c,$(B)/user/%.o,\
	$(wildcard user/*.c user/*/*.c user/tools/*/*.c)) $(B)/etcd.pb-c.o
# What is of one program alone: others have a main of their own.
MAINS := $(B)/user/cli/main.o $(B)/user/plug/% $(B)/user/cni/% $(B)/user/docker/%
# The command has no use for what only other programs call; and the library has all but the
# command's floor, see docs/architecture.md.
CLI_OBJS := $(filter-out $(B)/user/lib/% $(B)/user/plug/% $(B)/user/cni/% $(B)/user/docker/%, \
	$(USER_OBJS))
PLUG_OBJS := $(filter-out $(B)/user/lib/% $(B)/user/cli/% $(B)/user/cmd/% $(B)/user/tools/%, \
	$(USER_OBJS))
CNI_OBJS := $(filter-out $(B)/user/docker/%,$(PLUG_OBJS))
DOCKER_OBJS := $(filter-out $(B)/user/cni/%,$(PLUG_OBJS))
LIB_OBJS := $(filter-out $(B)/user/cli/% $(B)/user/cmd/% $(B)/user/tools/% $(B)/user/etcd/% \
	$(B)/user/agent/% $(B)/user/backend/% $(B)/user/cluster/% $(B)/user/plug/% $(B)/user/cni/% \
	$(B)/user/docker/% $(B)/etcd.pb-c.o,$(USER_OBJS))
TEST_SRCS := $(wildcard tests/unit_*.c tests/packet_*.c)
TESTS := $(patsubst tests/%.c,$(B)/test_%,$(TEST_SRCS))
# What needs MPI only where that is.
BENCH_SRCS := $(filter-out %.bpf.c $(if $(shell command -v $(MPICC)),,bench/quicksort.c), \
	$(wildcard bench/*.c))
BENCHES := $(patsubst bench/%.c,$(B)/bench_%,$(BENCH_SRCS))
# What several tests share.
TEST_LIB := $(patsubst tests/%.c,$(B)/tests/%.o,\
	$(filter-out $(TEST_SRCS) %.bpf.c,$(wildcard tests/*.c)))

# The same with sanitizers: this make once more, in a directory below, by clang, whose objects are
# the fuzz targets', too. The programs for the kernel are these; only what runs them is another.
SANITIZE_B := $(abspath $(B))/sanitize
SANITIZED = $(MAKE) --no-print-directory -j$$(nproc) B=$(SANITIZE_B) SKELETON=$(abspath $(B)) \
	CC='$(CLANG)' CFLAGS='-O1 -gline-tables-only -fno-omit-frame-pointer \
		-fno-sanitize-recover=all -fsanitize=address,undefined,fuzzer-no-link'

# Headers that are made, before anything is compiled; the skeleton, which takes the longest, only
# for those of user/ that include it.
QUICK_HEADERS := $(SKELETON)/gateway.nft.h $(SKELETON)/web.h $(SKELETON)/etcd.pb-c.h
GENERATED := $(SKELETON)/tsw.skel.h $(QUICK_HEADERS)
WITH_SKELETON := $(B)/user/loader.o $(B)/user/store/maps_held.o

# For a demo: nothing is optimized, in a directory of its own, which takes half the time.
DEMO_B := $(abspath $(B))/demo
demo_build = $(MAKE) --no-print-directory -j$$(nproc) B=$(DEMO_B) SKELETON=$(B) CFLAGS=-O0 \
	$(addprefix $(DEMO_B)/,$(1))

# Where `make install` puts things; units where systemd looks for them below prefix, if it does.
prefix ?= /usr/local
bindir ?= $(prefix)/bin
sbindir ?= $(prefix)/sbin
libexecdir ?= $(prefix)/lib
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/tenant-switch
completionsdir ?= $(datadir)/bash-completion/completions
# Where container runtimes look for their plugins: Debian's place, where prefix is /usr.
CNIDIR ?= $(prefix)/lib/cni
unitdir ?= $(or $(filter $(prefix)/lib/systemd/system,$(subst :, ,$(call systemd,unitpath))), \
	$(call systemd,unitdir),/lib/systemd/system)
systemd = $(shell pkg-config --variable=systemdsystem$(1) systemd 2>/dev/null)

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@echo '  $(1)	$(patsubst $(B)/%,%,$@)')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

##@ To begin with
.PHONY: demo
demo: ## show it: two hosts, two tenants, same addresses (needs root; installs what is missing)
	$(Q)scripts/deps.sh install demo
	$(Q)+$(call demo_build,tsw)
	$(Q)TSW=$(DEMO_B)/tsw selftests/demo.sh

.PHONY: demo-cluster
demo-cluster: ## show a cluster: three hosts that follow etcd (needs root; installs what is missing)
	$(Q)scripts/deps.sh install demo-cluster
	$(Q)+$(call demo_build,tsw)
	$(Q)TSW=$(DEMO_B)/tsw selftests/demo_cluster.sh

.PHONY: demo-podman
demo-podman: ## show containers that podman starts (needs root; installs what is missing)
	$(Q)scripts/deps.sh install demo-podman
	$(Q)+$(call demo_build,tsw tsw-cni)
	$(Q)TSW=$(DEMO_B)/tsw selftests/demo_podman.sh

.PHONY: demo-kubernetes
demo-kubernetes: ## show pods of Kubernetes (needs root; builds Kubernetes itself, in minutes)
	$(Q)scripts/deps.sh install demo-kubernetes && scripts/deps.sh kubernetes
	$(Q)+$(call demo_build,tsw tsw-cni)
	$(Q)TSW=$(DEMO_B)/tsw selftests/demo_kubernetes.sh

.PHONY: test
test: ## the tests of each change, a few in Linux 6.1 (needs root; installs what is missing)
	$(Q)scripts/deps.sh install test
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)scripts/run-tests.sh

.PHONY: test-all
test-all: export TSW_ALL := 1
test-all: test-tools ## all tests, also in Linux 6.1 and 6.12; TSW_QUICK=1: less of each (long)
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)+$(SANITIZED) unit-tests fuzzers
	$(Q)scripts/run-tests.sh

.PHONY: test-kernels
test-kernels: test-tools ## all tests in Linux 6.1 and 6.12, and clang 14, 16 and 19 (long)
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)scripts/run-tests.sh kernels-full compilers

.PHONY: test-tools
test-tools:
	$(Q)scripts/deps.sh install test-all && scripts/deps.sh promtool && scripts/deps.sh resolved
	$(Q)scripts/deps.sh managers || echo 'no other managers of a host: their tests are skipped'
	$(Q)scripts/deps.sh cnitool || echo 'no cnitool: its test is skipped'
	$(Q)scripts/deps.sh kubernetes || echo 'no Kubernetes: its tests are skipped'
	$(Q)scripts/deps.sh cri || echo 'no client of the CRI: its test is skipped'

##@ Building
.PHONY: all
PROGRAMS := tsw tsw-cni tsw-docker
PAGES := $(PROGRAMS:=.8) tsw-migrate.8
all: $(addprefix $(B)/,$(PROGRAMS) $(PAGES) tsw.bash libtsw.a) ## programs, pages, library

.PHONY: tests
tests: $(TESTS) $(B)/tests/attack.bpf.o \
	$(B)/library $(B)/library_wider $(B)/killat $(B)/etcdcall \
	$(B)/flip ## the test programs, not run

.PHONY: unit-tests
unit-tests: $(filter $(B)/test_unit_%,$(TESTS))

.PHONY: sanitized
sanitized: ## build/sanitize: the command and the tests with clang's sanitizers
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) $(GENERATED)
	$(Q)+$(SANITIZED) all tests

.PHONY: deps
deps: ## install the Debian packages that are missing to build, or for FOR='test lint' (needs root)
	$(Q)scripts/deps.sh install $(or $(FOR),build)

.PHONY: clean
clean: ## remove build/
	$(Q)rm -rf $(B)

##@ Installing
INSTALL_TO = DESTDIR='$(DESTDIR)' bindir='$(bindir)' sbindir='$(sbindir)' \
	libexecdir='$(libexecdir)' libdir='$(libdir)' includedir='$(includedir)' \
	mandir='$(mandir)' docdir='$(docdir)' completionsdir='$(completionsdir)' \
	unitdir='$(strip $(unitdir))' CNIDIR='$(CNIDIR)'

.PHONY: install
install: all ## to prefix (/usr/local), sbindir, mandir ..., below DESTDIR
	$(Q)$(INSTALL_TO) scripts/install.sh install

.PHONY: uninstall
uninstall: ## the same variables: remove what install put there
	$(Q)$(INSTALL_TO) scripts/install.sh uninstall

.PHONY: deb
deb: ## build/deb/*.deb, a Debian package, from a copy of the tree (needs no root)
	$(Q)scripts/deb.sh build

.PHONY: release
release: ## build/release: tar, packages, checksums, contents; SIGN=KEY, SUITES='bookworm trixie'
	$(Q)scripts/release.sh

.PHONY: test-deb
test-deb: ## packages of Debian 12 and 13 are built, used, removed; ARCHS='amd64 arm64' (root; long)
	$(Q)scripts/deps.sh install test-deb
	$(Q)scripts/deb.sh test

##@ Checking
.PHONY: check
check: tests ## the tests that need no root
	$(Q)scripts/run-tests.sh unit

.PHONY: fuzz
fuzz: ## each fuzz target for a minute, or FUZZ_SECONDS=N (no root)
	$(Q)scripts/deps.sh install fuzz
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) $(GENERATED)
	$(Q)+$(SANITIZED) fuzzers
	$(Q)scripts/fuzz.sh run

.PHONY: check-sanitize
check-sanitize: sanitized ## unit tests, and with root packet tests, with clang's sanitizers
	$(Q)BUILD=$(SANITIZE_B) scripts/run-tests.sh unit $$([ $$(id -u) != 0 ] || echo packet)

.PHONY: lint
lint: all $(B)/schema ## style: format, SPDX, shellcheck, headers, budgets, floors, documents
	$(Q)scripts/lint.sh

.PHONY: schema
schema: $(B)/schema ## docs/state.schema.json anew, from the tables of fields
	$(Q)$(B)/schema >docs/state.schema.json

.PHONY: benches
benches: all $(BENCHES) $(B)/bench/redirect.bpf.o

.PHONY: bench bench-quick bench-publish
bench: ## tsw beside the host and what people use today, turn by turn (needs root)
	$(Q)scripts/deps.sh install bench
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) benches
	$(Q)bench/run

bench-publish: ## what make bench wrote: its tables, and the README's plot, into docs/benchmarks
	$(Q)sed '/^!\[/,+1d' $(B)/benchmarks/tables.md >docs/benchmarks/tables.md
	$(Q)cp $(B)/benchmarks/loss-tcp-offload.svg docs/benchmarks/

bench-quick: ## its headlines, in two minutes (needs root)
	$(Q)scripts/deps.sh install bench
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) benches
	$(Q)bench/run -q

.PHONY: help
help: ## this
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo '  V=1 shows the commands; CLANG=clang-16 and CC choose the compilers.'

# ---- rules -------------------------------------------------------------------------

# Says `sudo make deps` once, instead of a missing header later.
$(B)/.tools: scripts/deps.sh Makefile
	$(Q)mkdir -p $(SKELETON)/bpf $(B)/tests $(B)/bench
	$(Q)CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' scripts/deps.sh check
	$(Q)touch $@

$(SKELETON)/bpf/%.o: bpf/%.c Makefile | $(B)/.tools
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(SKELETON)/tsw.bpf.o: $(BPF_OBJS)
	$(call say,LINK)
	$(Q)$(BPFTOOL) gen object $@ $^

$(SKELETON)/tsw.skel.h: $(SKELETON)/tsw.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name tsw_bpf > $@
	$(Q)echo "#define TSW_CLANG $$(echo __clang_major__ | $(CLANG) -E -P -xc -)" >>$@

# The ruleset as a string of C.
$(SKELETON)/gateway.nft.h: user/door/gateway.nft Makefile | $(B)/.tools
	$(call say,NFT)
	$(Q){ echo 'static const char gateway_nft[] ='; \
		sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } > $@

# The page of `tsw web`, a string for each file.
WEB := $(addprefix user/tools/web/page.,html css js)
$(SKELETON)/web.h: $(WEB) Makefile | $(B)/.tools
	$(call say,WEB)
	$(Q)for file in $(WEB); do \
		echo "static const char page_$${file##*.}[] ="; \
		sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $$file; echo ';'; done >$@

# etcd's messages, from what of its API is used.
$(SKELETON)/etcd.pb-c.c $(SKELETON)/etcd.pb-c.h &: user/etcd/etcd.proto | $(B)/.tools
	$(call say,PROTO)
	$(Q)$(PROTOC_C) -Iuser/etcd --c_out=$(SKELETON) $<

$(B)/etcd.pb-c.o: $(SKELETON)/etcd.pb-c.c $(SKELETON)/etcd.pb-c.h
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -I$(SKELETON) $(PREFIX_MAP) -c $< -o $@

# These are order-only prerequisites: the dependency files name them where they are used.
$(WITH_SKELETON): | $(SKELETON)/tsw.skel.h
$(B)/user/%.o: user/%.c Makefile VERSION | $(B)/.tools $(QUICK_HEADERS)
	$(call say,CC)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

$(B)/tests/%.o: tests/%.c Makefile | $(B)/.tools $(GENERATED)
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) -Itests -MMD -MP -c $< -o $@

# What was linked of other packages, for scripts/sbom.sh.
LINK_MAP = -Wl,-Map=$@.map

# Only the command tells the commit, so that another commit links nothing else anew.
$(B)/commit.c: FORCE | $(B)/.tools
	$(Q)scripts/commit.sh $@
.PHONY: FORCE
$(B)/commit.o: $(B)/commit.c
	$(Q)$(CC) $(HOST_CFLAGS) -c $< -o $@

$(B)/tsw: $(CLI_OBJS) $(B)/commit.o
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LINK_MAP) $^ $(LDLIBS) -o $@

$(B)/tsw-cni: $(CNI_OBJS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LINK_MAP) $^ $(LDLIBS) -o $@

$(B)/tsw-docker: $(DOCKER_OBJS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(LINK_MAP) $^ $(LDLIBS) -o $@

# One object, in which the floors see each other and the world sees what include/tsw/ declares.
$(B)/libtsw.a: $(LIB_OBJS)
	$(call say,AR)
	$(Q)$(LD) -r $^ -o $(B)/libtsw.o
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='tsw_*' $(B)/libtsw.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(B)/libtsw.o

# A program as any other: it has the headers and the library, and nothing else of this tree.
$(B)/library $(B)/library_wider: $(B)/%: selftests/tools/%.c $(B)/libtsw.a
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -pthread \
		$(LDFLAGS) $< $(B)/libtsw.a $(LDLIBS) -o $@

$(B)/killat: selftests/tools/killat.c
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(WARN) -D_GNU_SOURCE $(LDFLAGS) $< -o $@

$(B)/etcdcall: selftests/tools/etcd.c \
		$(filter $(B)/user/etcd/% $(B)/user/cluster/change.o $(B)/user/base/% \
		$(B)/user/kernel/trusted_file.o \
		$(B)/etcd.pb-c.o,$(USER_OBJS))
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

$(B)/flip: selftests/tools/flip.c $(LIB_OBJS)
	$(call say,LINK)
	$(Q)$(CC) $(HOST_CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

$(B)/schema: scripts/schema.c $(LIB_OBJS)
	$(call say,LINK)
	$(Q)$(CC) $(HOST_CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# What the command says of itself, as a manual page and as tables for the shell.
$(B)/help.txt: $(B)/tsw
	$(call say,HELP)
	$(Q)$(RUN) $< help >$@

$(B)/tsw.8: man/tsw.8.in man/fill.awk VERSION $(B)/help.txt
	$(call say,MAN)
	$(Q)awk -v version=$(VERSION) -f man/fill.awk $(B)/help.txt $< >$@

$(B)/tsw-cni.8 $(B)/tsw-docker.8 $(B)/tsw-migrate.8: $(B)/%: man/%.in VERSION
	$(call say,MAN)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< >$@

$(B)/tsw.bash: completion/tsw.bash completion/tables.jq $(B)/help.txt
	$(call say,BASH)
	$(Q)scripts/deps.sh check jq
	$(Q)cat $< >$@
	$(Q)$(RUN) $(B)/tsw -j help | \
		jq -r --rawfile text $(B)/help.txt -f completion/tables.jq >>$@

$(B)/test_%: $(B)/tests/%.o $(TEST_LIB) $(filter-out $(MAINS),$(USER_OBJS))
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# A plugin but its main; a library of the tests has names of its.
$(B)/test_unit_cni $(B)/test_unit_cni_call: $(B)/test_%: $(B)/tests/%.o \
	$(filter-out $(B)/user/cni/main.o,$(CNI_OBJS))
$(B)/test_unit_docker $(B)/test_unit_offer: $(B)/test_%: $(B)/tests/%.o \
		 $(filter-out $(B)/user/docker/main.o,$(DOCKER_OBJS))
$(B)/test_unit_cni $(B)/test_unit_cni_call $(B)/test_unit_docker $(B)/test_unit_offer:
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

$(B)/tests/%.bpf.o: tests/%.bpf.c Makefile | $(B)/.tools
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench/%.bpf.o: bench/%.bpf.c Makefile | $(B)/.tools
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench/%.skel.h: $(B)/bench/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/bench/flood.o: $(B)/bench/flood.skel.h
$(B)/bench/%.o: bench/%.c Makefile | $(B)/.tools
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench_%: $(B)/bench/%.o $(filter-out $(MAINS),$(USER_OBJS))
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/bench_quicksort: bench/quicksort.c Makefile
	$(call say,MPICC)
	$(Q)$(MPICC) $(CFLAGS) -std=gnu11 $(WARN) $< -o $@

# ---- fuzzing: what is built with sanitizers, with libFuzzer's main -------------------

# In the directory of the sanitizers alone: its objects count the edges that they pass.
FUZZERS := $(patsubst fuzz/fuzz_%.c,$(B)/fuzz_%,$(wildcard fuzz/fuzz_*.c))
FUZZ_LIB := $(patsubst %.c,$(B)/%.o,$(filter-out fuzz/fuzz_%.c,$(wildcard fuzz/*.c))) \
	$(filter-out $(B)/user/%/main.o,$(USER_OBJS)) \
	$(B)/fuzz/tsw_main.o $(B)/tests/fake_curl.o
# What a target has in place of the real thing: its functions __wrap_*.
wraps = $(shell grep -ohE '__wrap_[a-z_]+' $(1) | sort -u | sed 's/__wrap_/-Wl,--wrap=/')

.PHONY: fuzzers
fuzzers: $(FUZZERS) $(B)/fuzz/tsw.dict

$(B)/fuzz/%.o: fuzz/%.c Makefile | $(B)/.tools $(GENERATED)
	$(call say,CC)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -Ifuzz -Itests -MMD -MP -c $< -o $@

# The command, as a function.
$(B)/fuzz/tsw_main.o: $(B)/user/cli/main.o
	$(Q)mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym main=tsw_main $< $@

$(FUZZERS): $(B)/fuzz_%: $(B)/fuzz/fuzz_%.o $(FUZZ_LIB)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer $(call wraps,fuzz/fuzz_$*.c) $^ $(LDLIBS) -o $@

# Every word of the table of commands, and what is written in fuzz/tsw.dict.
$(B)/fuzz/tsw.dict: $(B)/tsw fuzz/tsw.dict
	$(Q)mkdir -p $(@D)
	$(Q){ cat fuzz/tsw.dict; $(B)/tsw help | sed -nE 's/^  tsw //p' | \
		grep -oE '[a-z][a-z0-9-]+|--[a-z]+' | sort -u | sed 's/.*/"&"/'; } >$@

-include $(wildcard $(SKELETON)/bpf/*.d $(B)/user/*.d $(B)/user/*/*.d $(B)/user/tools/*/*.d \
	$(B)/tests/*.d $(B)/bench/*.d $(B)/fuzz/*.d)
