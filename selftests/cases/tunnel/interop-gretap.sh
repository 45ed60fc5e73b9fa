#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_gre compares whole frames; tunnel/interop-vxlan has the same checks
# The kernel's gretap and ip6gretap devices as the other VTEP; topology: lib_foreign.sh. With
# ocsum and oseq they send what the switch understands and does not send itself; csum and
# seq would have them refuse what it sends. Without `encaplimit none` ip6gretap puts a destination
# options header (RFC 2473) before GRE, which the switch does not take.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_interop.sh"

interop kernel gre 4
interop kernel gre 4 ocsum
interop kernel gre 4 ocsum oseq
interop kernel gre 6 encaplimit none
finish
