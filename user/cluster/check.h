/* SPDX-License-Identifier: GPL-2.0-only */
/* Do a cluster's records agree with each other? */
#ifndef TSW_CLUSTER_CHECK_H
#define TSW_CLUSTER_CHECK_H

#include <jansson.h>

#include "cluster/record.h"

/* Adds to a list of problems (base/problem.h). All records are read, as of one revision. */
int cluster_check(const struct records *r, json_t *problems);

#endif
