/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_KERNEL_MAP_UPDATE_H
#define TSW_KERNEL_MAP_UPDATE_H

#include <linux/types.h>

/* As bpf_map_update_elem() says it, but waits for the kernel's reserve of memory. */
int map_update(int fd, const void *key, const void *value, __u64 flags);

#endif
