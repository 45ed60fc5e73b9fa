#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/agent, cni/plugin and docker/plugin have single events of a host's life
# long: several machines boot, more than once
#
# A short soak of life, whose checks are tried first: see ../../soak_life.sh.
cd "$(dirname "$0")/../.." && SOAK_PROVE=1 exec ./soak.sh 0.5 1 life
