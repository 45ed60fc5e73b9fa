// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"

enum { ROOM = 16 }; /* at first; then twice as much each time */

void *list_grow(void *list, size_t *n, size_t size)
{
	char **all = list, *grown;

	if (*n % ROOM == 0 && (*n & (*n - 1)) == 0) {
		grown = reallocarray(*all, *n ? *n * 2 : ROOM, size);
		if (!grown) {
			fail_memory();
			return NULL;
		}
		*all = grown;
	}
	memset(*all + *n * size, 0, size);
	return *all + (*n)++ * size;
}

int list_append(void *list, size_t *n, const void *element, size_t size)
{
	void *next = list_grow(list, n, size);

	if (!next)
		return -ENOMEM;
	memcpy(next, element, size);
	return 0;
}
