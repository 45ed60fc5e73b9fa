/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_CHECK_CONTAINERS_H
#define TSW_CHECK_CONTAINERS_H

#include <jansson.h>

#include "check/owners.h"
#include "store/tsw.h"

/* Warns of containers that do not fit to their endpoints. Those that it cannot see are left out. */
int check_containers(struct tsw *t, const struct snapshot *s, const struct owners *owners,
		     json_t *warnings);

#endif
