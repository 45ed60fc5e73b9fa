/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For how long conntrack keeps what nobody sends in any more. The router's namespace has settings
 * of its own for that: they follow the host's, and tenants' shares count by them.
 */
#ifndef TSW_TIMEOUTS_H
#define TSW_TIMEOUTS_H

#include <jansson.h>

#include "store/tsw.h"

/* Are the router's settings, or what the programs count by, other than the host's? */
int timeouts_look(const struct tsw *t, bool *differ);

/* Makes them the host's; see tracking_follow(), which is to be called. */
int timeouts_follow(const struct tsw *t);

/* What the host's setting nf_conntrack_NAME says, as the router has it; negative: there is none. */
int timeouts_of_host(const char *name);

/* Appends what differs. */
int timeouts_check(const struct tsw *t, json_t *problems);

#endif
