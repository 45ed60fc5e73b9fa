/* SPDX-License-Identifier: GPL-2.0-only */
/* All records of a cluster as a state file (docs/state.schema.json). */
#ifndef TSW_CLUSTER_WHOLE_H
#define TSW_CLUSTER_WHOLE_H

#include <jansson.h>

#include "cluster/record.h"

/*
 * Reads all records at one revision. The caller drops *WHOLE. *REFUSED: the number of records that
 * are left out because they are invalid, or because their host or tenant does not exist.
 */
int cluster_whole(const struct records *r, json_t **whole, size_t *refused);

/*
 * Adds to the state file INTO the hosts of WHOLE that it lacks, and returns their number. Without
 * HOSTS_ALONE also adds all other objects that it lacks.
 */
size_t cluster_merge(json_t *into, const json_t *whole, bool hosts_alone);

/* The list under KEY of a state file or of a part of it, which is made if it is missing. */
json_t *whole_list(json_t *object, const char *key);

#endif
