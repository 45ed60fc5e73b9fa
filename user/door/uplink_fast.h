/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of the fast way on the devices that lead to the world: one sees what has passed the
 * host's rules, one translates what comes in. An underlay's own programs do that as well.
 */
#ifndef TSW_UPLINK_FAST_H
#define TSW_UPLINK_FAST_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * On each Ethernet device with a global address that is not the switch's. One where they cannot
 * be is left to the host's rules, which a detail line says.
 */
int uplinks_fast_open(struct tsw *t);
int uplinks_fast_close(struct tsw *t);

/* Appends the devices that lack them: frames go by these all the same. */
int uplinks_fast_check(struct tsw *t, json_t *warnings);

#endif
