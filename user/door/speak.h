/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The networks on which this host speaks for the addresses of tsw_snats: there the programs answer
 * for them. What else it takes is here: to be heard when it begins, and to hear who asks.
 */
#ifndef TSW_SPEAK_H
#define TSW_SPEAK_H

#include <jansson.h>

#include "kernel/link.h"
#include "store/tsw.h"

/* Is it on the network of a device of this host's, and what is that? Else -ENOENT, no message. */
int speak_device(const struct tsw_addr *addr, struct link *link);

/* All on its network are told that it is here. What cannot be told is found out by asking. */
void speak_announce(const struct tsw *t, const struct tsw_addr *addr, const struct link *link);

/* As the host's routes are now: the devices, and of IPv6 the groups by which neighbours ask. */
int speak_mend(struct tsw *t);
int speak_close(void);
int speak_check(const struct tsw *t, json_t *problems);

#endif
