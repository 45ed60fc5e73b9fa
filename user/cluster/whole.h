/* SPDX-License-Identifier: GPL-2.0-only */
/* All records of a cluster, as a state file has them (docs/state.schema.json). */
#ifndef TSW_CLUSTER_WHOLE_H
#define TSW_CLUSTER_WHOLE_H

#include <jansson.h>

#include "cluster/record.h"

/*
 * All as of one revision. REFUSED: how many records are left out, since they are none, or are of a
 * host or tenant that is not there.
 */
int cluster_whole(const struct records *r, json_t **whole, size_t *refused);

/*
 * INTO, which is a state file too, gets the hosts of WHOLE that it has not; how many. And, unless
 * HOSTS_ALONE, all else that it has not.
 */
size_t cluster_merge(json_t *into, const json_t *whole, bool hosts_alone);

#endif
