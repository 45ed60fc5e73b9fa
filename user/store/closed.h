/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map tsw_closed: addresses that tenants cannot reach through their gateways. base/closed.h
 * parses the lists that users give.
 */
#ifndef TSW_STORE_CLOSED_H
#define TSW_STORE_CLOSED_H

#include <jansson.h>

#include <tsw/switch.h>

/* Fills a new map with the default addresses, before any program reads it. */
int closed_fill(int fd);

/* Reads the list that the user gave. */
int closed_load(const struct tsw *t, struct tsw_closed_list *list);

/* Makes the map match the list. Addresses of both the old and the new list stay closed. */
int closed_put(struct tsw *t, const struct tsw_closed_list *list);

/* Makes the map match the stored list and the default addresses again. */
int closed_mend(struct tsw *t);

/* Appends a problem for each open default address, and for each one closed without a setting. */
int closed_check(const struct tsw *t, json_t *problems);

/* Appends all networks that are closed now to LIST, as text. */
int closed_now(const struct tsw *t, json_t *list);

#endif
