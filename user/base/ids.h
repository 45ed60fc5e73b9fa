/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows sorted by an id, which several rows may share. */
#ifndef TSW_IDS_H
#define TSW_IDS_H

#include <stddef.h>

#include <linux/types.h>

/* The first of N rows whose id is not less than ID, or N. An id is at octet AT of SIZE. */
size_t ids_first(const void *rows, size_t n, size_t size, size_t at, __u32 id);

/* How often a sorted list has ID; and the order of ids, for qsort(). */
size_t ids_count(const __u32 *ids, size_t n, __u32 id);
int ids_compare(const void *a, const void *b);

#endif
