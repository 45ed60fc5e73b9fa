#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guard/isolation once more, where each endpoint has `xdp on`, and each tenant a boot server. Each
# container also has a link-local address that is not made from its MAC, and MACs behind its port.
# Some may take a vip, and have networks behind them.
ISOLATION_WORDS=1
. "$(dirname "$0")/isolation.sh"
