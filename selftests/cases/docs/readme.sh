#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of README.md, on a machine with nothing but tsw: no BPF filesystem is mounted there.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

netns machine
machines machine
at machine umount /sys/fs/bpf
check "there is no BPF filesystem" test "$(at machine stat -fc %T /sys/fs/bpf)" != bpf_fs
runs README.md machine
finish
