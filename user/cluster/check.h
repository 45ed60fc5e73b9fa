/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds records of a cluster that contradict each other. */
#ifndef TSW_CLUSTER_CHECK_H
#define TSW_CLUSTER_CHECK_H

#include <jansson.h>

#include "cluster/record.h"

/* Adds what it finds to PROBLEMS (base/problem.h). Reads all records at one revision. */
int cluster_check(const struct records *r, json_t *problems);

#endif
