// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/ids.h"

size_t ids_first(const void *rows, size_t n, size_t size, size_t at, __u32 id)
{
	size_t low = 0, high = n, middle;
	__u32 its;

	while (low < high) {
		middle = low + (high - low) / 2;
		memcpy(&its, (const char *)rows + middle * size + at, sizeof(its));
		if (its < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t ids_count(const __u32 *ids, size_t n, __u32 id)
{
	const size_t first = ids_first(ids, n, sizeof(*ids), 0, id);
	size_t end = first;

	while (end < n && ids[end] == id)
		end++;
	return end - first;
}

int ids_compare(const void *a, const void *b)
{
	const __u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}
