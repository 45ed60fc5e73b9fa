#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guard/isolation once more, where each endpoint has `xdp on`, each tenant a boot server, and each
# container a link-local address that is not made from its MAC, MACs behind its port, a vip that
# several may take, and networks behind it.
ISOLATION_WORDS=1
. "$(dirname "$0")/isolation.sh"
