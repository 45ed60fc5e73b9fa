/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of containers that are gone: a plugin of this host made the endpoint, and its device does
 * not exist. The machine rebooted, or the plugin did not reach etcd when the container ended.
 *
 * A plugin makes the device before the record, and removes it after the record. So a device that is
 * missing after its record was read will not come for this record. The deletion has the condition
 * that the record is the one that was read.
 */
#ifndef TSW_CLUSTER_ORPHANS_H
#define TSW_CLUSTER_ORPHANS_H

#include <net/if.h>
#include <stdbool.h>

#include <jansson.h>

#include <tsw/object.h>

#include "cluster/record.h"
#include "record/plugin.h"
#include "store/tsw.h"

struct orphan {
	struct tsw_name tenant, name;
	char dev[IFNAMSIZ];
	const char *plugin;
	char id[16]; /* of the tenant */
	struct tsw_addr_list ip;
	__s64 modified; /* revision of its record */
	__u64 since;	/* the agent's: when it was first seen */
};

struct orphans {
	struct orphan *all;
	size_t n;
	struct plugins plugins; /* as they were before the records were read */
};

/*
 * Finds the orphans among this host's endpoints, all at different moments. T is open, and in its
 * network namespace: an endpoint whose device was renamed is known by the switch.
 */
int orphans_find(const struct records *r, const struct tsw *t, struct orphans *found);
void orphans_free(struct orphans *o);

#define cleanup_orphans __attribute__((cleanup(orphans_free)))

/*
 * Deletes O of ALL, its claims and its published ports. -ECANCELED: it was changed since it was
 * read, or its device exists. *PORTS_STAY: this host has no right to withdraw the ports.
 */
int orphan_take(struct records *r, const struct orphans *all, const struct orphan *o,
		bool *ports_stay);

/*
 * Removes the files of names whose endpoint has neither a record nor a device, as an ADD leaves
 * one that was killed.
 */
void orphans_sweep(const struct tsw *t, const struct orphans *found);

/* TENANT/NAME, in a static buffer. */
const char *orphan_name(const struct orphan *o);

/* An orphan as a problem of `check`, or as what `gc` removed. */
void orphan_tell(json_t *problems, const struct orphan *o);

#endif
