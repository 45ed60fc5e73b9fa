/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What commands print. A command states each field once, as a JSON object made
 * with json_pack(); here it becomes JSON or text. Text is `key value` pairs, in a list
 * led by the first field's value alone; nested objects, and those of a nested list, get a line
 * each.
 */
#ifndef TSW_OUT_H
#define TSW_OUT_H

#include <stdbool.h>

#include <jansson.h>

struct out {
	bool json;
	bool pretty;
	bool open;     /* a list has begun and not ended */
	bool begun;    /* an item of it is out already */
	json_t *aside; /* goes along with an error, or NULL */
};

void out_list_begin(struct out *out);
void out_item(struct out *out, json_t *item); /* takes the item */
void out_list_end(struct out *out);

/* One object that is no list; where one was left open, for an error, its last item. */
void out_object(struct out *out, json_t *object);

/* All of standard output reached its place. */
int out_flush(void);

#endif
