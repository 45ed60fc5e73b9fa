#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own vxlan device as the other VTEP, over IPv4 and IPv6; topology: lib_foreign.sh.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_interop.sh"

interop kernel vxlan 4
interop kernel vxlan 6
finish
