// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <time.h>

#include <bpf/bpf.h>

#include "kernel/map_update.h"

enum { UPDATE_TRIES = 200 };

/*
 * The kernel takes memory for an entry from a reserve, which it refills slowly. A batch may find it
 * empty for a moment.
 */
int map_update(int fd, const void *key, const void *value, __u64 flags)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int tries, err = -1;

	for (tries = 0; err && tries < UPDATE_TRIES; tries++) {
		err = bpf_map_update_elem(fd, key, value, flags);
		if (!err || errno != ENOMEM)
			break;
		nanosleep(&moment, NULL);
	}
	return err;
}
