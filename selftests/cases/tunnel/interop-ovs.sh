#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/interop-vxlan has the same checks
# long: a minute or more
# Open vSwitch with its userspace datapath as the other VTEP; topology: lib_foreign.sh.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_interop.sh"

# It carries about 1 Gb/s: among all tests a sixteenth of the transfer must do.
[ -z "${TSW_QUICK:-}" ] || XFER=${TSW_XFER:-64M}

interop netdev vxlan 4
interop netdev gre 4
interop netdev geneve 4
interop netdev vxlan 6
interop netdev gre 6
interop netdev geneve 6
finish
