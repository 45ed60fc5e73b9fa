/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for the numbers in events, read from the maps and again every few seconds. */
#ifndef TSW_NAMES_H
#define TSW_NAMES_H

#include "record/counters.h"
#include "record/hosts.h"
#include "store/tsw.h"

struct names {
	const struct tsw *t;
	struct tenants tenants;
	struct endpoint_name {
		__u32 tenant;
		struct tsw_mac mac;
		struct tsw_name name;
	} * endpoint;
	size_t n_endpoints;
	struct hosts hosts;
	struct rows rules; /* of policies */
	__u64 read_at;	   /* CLOCK_MONOTONIC; 0: not yet */
	bool in_netns;	   /* this process is in the switch's namespace, so devices have names */
};

/* Reads the names again if they are old. */
int names_refresh(struct names *names);
void names_free(struct names *names);

/* NULL: no such object. */
const char *name_of_tenant(const struct names *names, __u32 id);
const char *name_of_endpoint(const struct names *names, __u32 tenant, const struct tsw_mac *mac);
const char *name_of_port(const struct names *names, __u32 ifindex);
const char *name_of_host(const struct names *names, const struct tsw_addr *addr);
/* The host of the tenant's MAC, if that is another host. */
const char *name_of_home(const struct names *names, __u32 tenant, const struct tsw_mac *mac);

const char *name_of_rule(const struct names *names, __u32 tenant, __u32 number);

/* `if7` for a device without a name here. Returns a static buffer. */
const char *name_of_device(const struct names *names, __u32 ifindex);

#endif
