/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_KERNEL_MAP_UPDATE_H
#define TSW_KERNEL_MAP_UPDATE_H

#include <linux/types.h>

/* bpf_map_update_elem() that waits while the kernel's reserve of memory is empty. */
int map_update(int fd, const void *key, const void *value, __u64 flags);

#endif
