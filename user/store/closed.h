/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw_closed: where no tenant gets to by its gateway. `closed_` of base/closed.h are lists as they
 * are asked for.
 */
#ifndef TSW_STORE_CLOSED_H
#define TSW_STORE_CLOSED_H

#include <jansson.h>

#include <tsw/switch.h>

/* A new map has what is closed by default before any program reads it. */
int closed_fill(int fd);

/* As it was asked for. */
int closed_load(const struct tsw *t, struct tsw_closed_list *list);

/* Makes the map so. What is closed by both lists is closed all the while. */
int closed_put(struct tsw *t, const struct tsw_closed_list *list);

/* Puts back what is closed by default. */
int closed_mend(struct tsw *t);

/* Appends what this version closes by default and is missing, or the other way round. */
int closed_check(const struct tsw *t, json_t *problems);

/* All that is closed now: networks as text. */
int closed_now(const struct tsw *t, json_t *list);

#endif
