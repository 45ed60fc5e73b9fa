/* SPDX-License-Identifier: GPL-2.0-only */
/* All that `metrics` prints. Each map is read once. */
#ifndef TSW_TOOLS_METRICS_READ_H
#define TSW_TOOLS_METRICS_READ_H

#include "kernel/link.h"
#include "record/counters.h"
#include "record/hosts.h"
#include "store/tsw.h"

struct metrics {
	struct tenants tenants;
	struct tsw_stats *stats; /* of each tenant's row */
	struct drops drops;
	struct hosts hosts;
	struct {
		struct tsw_counter tx, rx;
		__u32 mtu; /* of its underlay */
	} * traffic;	   /* of each host's row */
	struct {
		bool there;
		bool served; /* by this host */
		__u32 rank;  /* of the host that serves it: 1 is the first; 0: each host serves */
	} * gateway;	     /* of each tenant's row */
	struct {
		struct map_usage usage;
		size_t entries;
	} map[MAP_COUNT];
	struct {
		__u64 runs;
		__u64 ns;
	} prog[PROG_COUNT];
	struct rows taken; /* MAP_TAKEN */
	size_t snats_left; /* addresses of snat that another host uses now */
	bool runs_counted; /* the kernel counts runs of programs now, or did before */
	unsigned int n_devs;
	struct link dev[TSW_UNDERLAYS]; /* ifindex 0: the device is gone */
};

int metrics_read(struct tsw *t, struct metrics *m);
void metrics_free(struct metrics *m);

#define cleanup_metrics __attribute__((cleanup(metrics_free)))

#endif
