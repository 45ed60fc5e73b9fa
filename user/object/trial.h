/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tenant of `tsw test`, with two endpoints of its own. Its name has a blank, which no command
 * takes for a new tenant. A test holds the switch's lock for as long as the tenant exists, so one
 * that somebody else finds under the lock was left by a killed test.
 */
#ifndef TSW_TRIAL_H
#define TSW_TRIAL_H

#include <jansson.h>
#include <tsw/object.h>

#include "store/tsw.h"

extern const struct tsw_name trial_name;

/* Adds the tenant, after it has removed what a killed test left. */
int trial_add(struct tsw *t);
int trial_del(struct tsw *t);

/* Removes what a killed test left, and appends it to REMOVED. DRY: only appends it. */
int trial_sweep(struct tsw *t, bool dry, json_t *removed);

#endif
