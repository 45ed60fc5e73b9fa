# SPDX-License-Identifier: GPL-2.0-only
# tenant-switch. `make help` says what there is.

B := build
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
BPFTOOL ?= bpftool
V ?= 0

# bpftool, ip and ethtool live in sbin, which sudo and plain users may not search.
export PATH := $(PATH):/usr/sbin:/sbin
export BUILD := $(abspath $(B))

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Werror
HOST_CFLAGS := $(CFLAGS) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -Iuser -I$(B)
LDLIBS := -lbpf -lmnl -ljansson -lnftables
# asm/types.h is in Debian's multiarch directory, which clang -target bpf does not search.
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g $(WARN) -Wno-unused-parameter -Iinclude \
	$(if $(MULTIARCH),-I/usr/include/$(MULTIARCH))

BPF_OBJS := $(patsubst bpf/%.c,$(B)/bpf/%.o,$(wildcard bpf/*.c))
USER_OBJS := $(patsubst user/%.c,$(B)/user/%.o,$(wildcard user/*.c))
TEST_SRCS := $(wildcard tests/unit_*.c tests/packet_*.c)
TESTS := $(patsubst tests/%.c,$(B)/test_%,$(TEST_SRCS))
BENCHES := $(patsubst bench/%.c,$(B)/bench_%,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
# What several tests share.
TEST_LIB := $(patsubst tests/%.c,$(B)/tests/%.o,$(filter-out $(TEST_SRCS),$(wildcard tests/*.c)))

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@echo '  $(1)	$(patsubst $(B)/%,%,$@)')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

##@ Two commands to begin with
.PHONY: demo
demo: ## show it: two hosts, two tenants, same addresses (needs root; installs what is missing)
	$(Q)scripts/deps.sh install
	$(Q)+$(MAKE) --no-print-directory all
	$(Q)selftests/demo.sh

.PHONY: test
test: ## the tests, some also in Linux 6.1 and 6.12 (needs root; installs what is missing)
	$(Q)scripts/deps.sh install
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)scripts/run-tests.sh

.PHONY: test-kernels
test-kernels: ## the tests in Linux 6.1 and 6.12 too, and clang 14, 16 and 19 (needs root; long)
	$(Q)scripts/deps.sh install
	$(Q)+$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)scripts/run-tests.sh kernels-full compilers

##@ Building
.PHONY: all
all: $(B)/tsw ## build/tsw, the one binary (the default)

.PHONY: tests
tests: $(TESTS) ## the test programs, not run

.PHONY: deps
deps: ## install the Debian packages that are missing (needs root)
	$(Q)scripts/deps.sh install

.PHONY: clean
clean: ## remove build/
	$(Q)rm -rf $(B)

##@ Checking
.PHONY: check
check: tests ## the tests that need no root
	$(Q)scripts/run-tests.sh unit

.PHONY: lint
lint: ## style: format, SPDX, shellcheck, headers, budgets, documents
	$(Q)scripts/lint.sh

.PHONY: bench
bench: all ## one TCP flow beside the host's own and Linux' bridge + vxlan (needs root)
	$(Q)bench/ratio.sh

.PHONY: bench-egress
bench-egress: all ## one TCP flow out by a gateway, beside Docker's bridge (needs root)
	$(Q)bench/egress.sh

.PHONY: bench-gateways
bench-gateways: all ## many tenants at once: gateways central, spread (needs root)
	$(Q)bench/gateways.sh

.PHONY: bench-flood
bench-flood: all $(BENCHES) ## the same flow under a flood of unwanted tunnel frames (needs root)
	$(Q)bench/flood.sh

.PHONY: help
help: ## this
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo; echo '  V=1 shows the commands; CLANG=clang-16 and CC choose the compilers.'

# ---- rules -------------------------------------------------------------------------

# Says `sudo make deps` once, instead of a missing header later.
$(B)/.tools: scripts/deps.sh Makefile
	$(Q)mkdir -p $(B)/bpf $(B)/user $(B)/tests $(B)/bench
	$(Q)CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' scripts/deps.sh check
	$(Q)touch $@

$(B)/bpf/%.o: bpf/%.c Makefile | $(B)/.tools
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/tsw.bpf.o: $(BPF_OBJS)
	$(call say,LINK)
	$(Q)$(BPFTOOL) gen object $@ $^

$(B)/tsw.skel.h: $(B)/tsw.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name tsw_bpf > $@
	$(Q)echo "#define TSW_CLANG $$(echo __clang_major__ | $(CLANG) -E -P -xc -)" >>$@

# The ruleset as a string of C.
$(B)/gateway.nft.h: user/gateway.nft Makefile | $(B)/.tools
	$(call say,NFT)
	$(Q){ echo 'static const char gateway_nft[] ='; \
		sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } > $@

# These are order-only prerequisites: the dependency files name them where they are used.
$(B)/user/%.o: user/%.c Makefile | $(B)/.tools $(B)/tsw.skel.h $(B)/gateway.nft.h
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

$(B)/tests/%.o: tests/%.c Makefile | $(B)/.tools $(B)/tsw.skel.h
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) -Itests -MMD -MP -c $< -o $@

$(B)/tsw: $(USER_OBJS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/test_%: $(B)/tests/%.o $(TEST_LIB) $(filter-out $(B)/user/loader.o,$(USER_OBJS))
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

$(B)/bench/%.bpf.o: bench/%.bpf.c Makefile | $(B)/.tools
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench/%.skel.h: $(B)/bench/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/bench/%.o: bench/%.c $(B)/bench/%.skel.h Makefile
	$(call say,CC)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench_%: $(B)/bench/%.o $(filter-out $(B)/user/loader.o,$(USER_OBJS))
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(wildcard $(B)/bpf/*.d $(B)/user/*.d $(B)/tests/*.d $(B)/bench/*.d)
