/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists in one piece of memory, which grow at their end. */
#ifndef TSW_LIST_H
#define TSW_LIST_H

#include <stddef.h>

/*
 * One element more, all zero, behind the N of a list. LIST is where its pointer is, which is NULL
 * while N is 0. NULL with the message set: there is no memory.
 */
void *list_grow(void *list, size_t *n, size_t size);

#endif
