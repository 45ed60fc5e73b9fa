/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the network devices of this process's namespace, and waits for devices. */
#ifndef TSW_DEVICES_H
#define TSW_DEVICES_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct devices {
	struct device {
		char name[IFNAMSIZ];
		__u32 ifindex;
	} * all; /* sorted by name */
	size_t n;
};

int devices_read(struct devices *d);
void devices_free(struct devices *d);

#define cleanup_devices __attribute__((cleanup(devices_free)))

__u32 devices_find(const struct devices *d, const char *name); /* its index; 0: no such device */

/*
 * Waits until at most ENOUGH of N devices do not exist, or until the time UNTIL, which is in ms of
 * CLOCK_MONOTONIC. Sleeps until the kernel announces a device.
 */
int devices_wait(const char (*name)[IFNAMSIZ], size_t n, size_t enough, __u64 until);

#endif
