/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of `gateway place` that may come more than once. */
#ifndef TSW_TOOLS_PLACE_WORDS_H
#define TSW_TOOLS_PLACE_WORDS_H

#include <stdbool.h>

/* The next value of KEY from *AT on, or NULL; *AT moves behind it. */
const char *place_value(char *const **at, const char *key);

/* Does the weight of the host before stand here? */
bool place_is_weight(char *const *at);

#endif
