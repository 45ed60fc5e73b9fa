/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel, and this process on it, can do. */
#ifndef TSW_SYSTEM_H
#define TSW_SYSTEM_H

#include <linux/types.h>
#include <stdbool.h>

int system_check_capabilities(void);
int system_check_kernel(void); /* new enough, and with BTF */

bool system_kernel_is_least(int major, int minor);
bool system_has_btf(void);
bool system_has_capabilities(void);
int system_has_jit(void); /* -1: not told, as in other network namespaces than the first */

/* What a setting below /proc/sys says: not negative; or -errno. */
int system_setting(const char *path);
int system_set(const char *path, int value); /* -errno without message */

/* It counts how often and how long BPF programs run: kernel.bpf_stats_enabled. */
bool system_counts_runs(void);

bool system_has_ipv6(void);
/* Is this one of its parts, or a module that it would load? Loads nothing. */
bool system_has_module(const char *name);

/* Does the kernel offer programs this function (kfunc)? */
bool system_has_kfunc(const char *name);
/* Likewise those that look into conntrack, which is loaded for it. */
bool system_has_conntrack(void);
/* ns: how often its clock ticks, by which conntrack counts. */
__u32 system_jiffy(void);

#endif
