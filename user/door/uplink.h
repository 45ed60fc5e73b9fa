/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The devices by which the world's answers come in: they must forward. Those that did not are noted
 * in tsw_uplinks before they do, forward to tsw-gw alone, and are put back at the end.
 */
#ifndef TSW_UPLINK_H
#define TSW_UPLINK_H

#include <jansson.h>

#include "store/tsw.h"

/* All that have a global address; with the rules of rules.h, which keep them from more. */
int uplinks_open(struct tsw *t);
int uplinks_close(struct tsw *t);
/* The same where tsw_uplinks is lost: the rules still tell which devices did not forward. */
int uplinks_forget(void);

/* Appends what does not forward, and rules that are missing. */
int uplinks_check(struct tsw *t, json_t *problems);

#endif
