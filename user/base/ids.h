/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows that are in the order of an id, which several may have. */
#ifndef TSW_IDS_H
#define TSW_IDS_H

#include <stddef.h>

#include <linux/types.h>

/* Of N rows of SIZE octets, AT so many of which the id is: the first whose id is not less; or N. */
size_t ids_first(const void *rows, size_t n, size_t size, size_t at, __u32 id);

/* A list of ids alone: how often one is in it; and for qsort(). */
size_t ids_count(const __u32 *ids, size_t n, __u32 id);
int ids_compare(const void *a, const void *b);

#endif
