/* SPDX-License-Identifier: GPL-2.0-only */
/* All that `metrics` tells, read at one go: each map once. */
#ifndef TSW_METRICS_H
#define TSW_METRICS_H

#include "record/counters.h"
#include "record/hosts.h"
#include "kernel/link.h"
#include "store/tsw.h"

struct metrics {
	struct tenants tenants;
	struct tsw_stats *stats; /* of each tenant's row */
	struct drops drops;
	struct hosts hosts;
	struct {
		struct tsw_counter tx, rx;
	} * traffic; /* of each host's row */
	struct {
		bool there;
		bool served; /* by this host */
		__u32 rank;  /* who serves it, of its hosts: 1 is the first; 0: each its own */
	} * gateway;	     /* of each tenant's row */
	struct {
		struct map_usage usage;
		size_t entries;
	} map[MAP_COUNT];
	struct {
		__u64 runs;
		__u64 ns;
	} prog[PROG_COUNT];
	size_t snats_left; /* addresses of snat that this host has left to another */
	bool runs_counted; /* the kernel counts them now, or did */
	unsigned int n_devs;
	struct link dev[TSW_UNDERLAYS]; /* ifindex 0: it is gone */
};

int metrics_read(struct tsw *t, struct metrics *m);
void metrics_free(struct metrics *m);

#define cleanup_metrics __attribute__((cleanup(metrics_free)))

#endif
