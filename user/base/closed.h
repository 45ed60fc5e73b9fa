/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of networks that are closed to tenants: `default`, `none`, or networks. */
#ifndef TSW_BASE_CLOSED_H
#define TSW_BASE_CLOSED_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/switch.h>

#define CLOSED_NONE "none"

/* Adds what TEXT names: a network, an address, `default` or `none`. */
int closed_add(const char *text, struct tsw_closed_list *list);

/* Adds a network in its sorted place. The list must not have it yet. */
void closed_insert(struct tsw_closed_list *list, const struct tsw_prefix *network);

bool closed_equal(const struct tsw_closed_list *a, const struct tsw_closed_list *b);

/* The words that closed_add() takes; an empty array for `none`. */
json_t *closed_words(const struct tsw_closed_list *list);

/* The same for a state file, which leaves the default out: NULL then. */
json_t *closed_json(const struct tsw_closed_list *list);

#endif
