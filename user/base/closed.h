/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of what is closed to tenants: `default`, `none`, or networks. */
#ifndef TSW_BASE_CLOSED_H
#define TSW_BASE_CLOSED_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/switch.h>

#define CLOSED_NONE "none"

/* Adds what TEXT says: a network or an address, or one of the two words. */
int closed_add(const char *text, struct tsw_closed_list *list);

/* Adds a network where its order is; it is not there yet. */
void closed_insert(struct tsw_closed_list *list, const struct tsw_prefix *network);

bool closed_equal(const struct tsw_closed_list *a, const struct tsw_closed_list *b);

/* As closed_add() takes it, but for `none`, which is an empty list. */
json_t *closed_words(const struct tsw_closed_list *list);

/* The same of a file, where what is not said is the default: NULL then. */
json_t *closed_json(const struct tsw_closed_list *list);

#endif
