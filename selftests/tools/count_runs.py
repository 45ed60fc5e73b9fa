#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""count_runs.py CMD...: runs it while the kernel measures each run of a BPF program.

It keeps a file of BPF_ENABLE_STATS open meanwhile, so the machine's kernel.bpf_stats_enabled
stays as it is, also when this is killed.
"""

import subprocess
import sys

from netkit_root import bpf

ENABLE_STATS, RUN_TIME = 32, 0

if bpf(ENABLE_STATS, RUN_TIME) < 0:
    sys.exit("count_runs.py: the kernel refuses BPF_ENABLE_STATS")
sys.exit(subprocess.call(sys.argv[1:]))
