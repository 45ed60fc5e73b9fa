#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_geneve compares whole frames; tunnel/interop-vxlan has the same checks
# The kernel's geneve device as the other VTEP, over IPv4 and IPv6; topology: lib_foreign.sh. With
# udpcsum it sends outer checksums, which the switch looks at and does not send itself.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_interop.sh"

interop kernel geneve 4
interop kernel geneve 4 udpcsum
interop kernel geneve 6
finish
