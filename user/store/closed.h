/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The map tsw_closed: addresses that tenants cannot reach by their gateways. base/closed.h has the
 * lists that users give.
 */
#ifndef TSW_STORE_CLOSED_H
#define TSW_STORE_CLOSED_H

#include <jansson.h>

#include <tsw/switch.h>

/* Fills a new map with the default addresses, before any program reads it. */
int closed_fill(int fd);

/* The list that the user gave. */
int closed_load(const struct tsw *t, struct tsw_closed_list *list);

/* Makes the map match the list. Addresses of both the old and the new list stay closed. */
int closed_put(struct tsw *t, const struct tsw_closed_list *list);

/* Puts back what is closed by default. */
int closed_mend(struct tsw *t);

/* Appends default addresses that are missing, and closed ones that nobody asked for. */
int closed_check(const struct tsw *t, json_t *problems);

/* Appends all networks that are closed now, as text. */
int closed_now(const struct tsw *t, json_t *list);

#endif
