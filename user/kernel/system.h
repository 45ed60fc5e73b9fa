/* SPDX-License-Identifier: GPL-2.0-only */
/* The abilities of this kernel and this process. */
#ifndef TSW_SYSTEM_H
#define TSW_SYSTEM_H

#include <linux/types.h>
#include <stdbool.h>

int system_check_capabilities(void);
int system_check_kernel(void); /* new enough, and with BTF */

bool system_kernel_is_least(int major, int minor);
bool system_has_btf(void);
bool system_has_capabilities(void);
int system_has_jit(void); /* -1: unknown, as in network namespaces other than the first */

/* The value of a setting below /proc/sys, which is not negative; or -errno. */
int system_setting(const char *path);
int system_set(const char *path, int value); /* -errno without message */

/* Whether the kernel counts how often and how long BPF programs run (bpf_stats_enabled). */
bool system_counts_runs(void);

bool system_has_ipv6(void);
/* Whether the module is built in, loaded, or could be loaded. Loads nothing. */
bool system_has_module(const char *name);

/* Whether the kernel offers programs this function (kfunc). */
bool system_has_kfunc(const char *name);
/* Whether it offers those that look up connections. Loads conntrack. */
bool system_has_conntrack(void);
/* The kernel's tick in ns, by which conntrack counts. */
__u32 system_jiffy(void);

#endif
