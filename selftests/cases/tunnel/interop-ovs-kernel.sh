#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/interop-vxlan has the same checks
# Open vSwitch with its datapath in the kernel as the other VTEP; topology: lib_foreign.sh.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_interop.sh"

interop system vxlan 4
interop system gre 4
interop system geneve 4
interop system vxlan 6
interop system gre 6
interop system geneve 6
finish
