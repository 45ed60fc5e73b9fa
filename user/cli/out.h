/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of commands. A command states each field once, as a JSON object made with json_pack(),
 * which is printed as JSON or text. Text is `key value` pairs. In a list the first field's value
 * stands without its key. Each nested object gets a line.
 */
#ifndef TSW_OUT_H
#define TSW_OUT_H

#include <stdbool.h>

#include <jansson.h>

struct out {
	bool json;
	bool pretty;
	bool open;     /* a list has begun and not ended */
	bool begun;    /* it has an item already */
	json_t *aside; /* is added to an error's object, or NULL */
};

void out_list_begin(struct out *out);
void out_item(struct out *out, json_t *item); /* takes the item */
void out_list_end(struct out *out);

/* Prints and frees a list, which is an array. */
void out_list(struct out *out, json_t *list);

/*
 * Prints at most MOST objects as text, WORD before each, and how many there are if more. Before the
 * first BAD ones WORD is red.
 */
void out_lines(const char *word, const json_t *list, size_t most, size_t bad);

/* Prints one object. If a list is open, as it is after an error, the object is its last item. */
void out_object(struct out *out, json_t *object);

/* Likewise; as text each field has a line. */
void out_block(struct out *out, json_t *object);

/* Fails if not all of standard output could be written. */
int out_flush(void);

#endif
