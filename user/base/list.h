/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists in one piece of memory, which grow at their end. */
#ifndef TSW_LIST_H
#define TSW_LIST_H

#include <stddef.h>

/*
 * Appends an element of zeros to a list of N and returns it. LIST is where the list's pointer is,
 * at first NULL. Only this function allocates the list; N may be reduced. NULL with the message
 * set: out of memory.
 */
void *list_grow(void *list, size_t *n, size_t size);

/* Appends a copy of ELEMENT. Returns 0 or -ENOMEM. */
int list_append(void *list, size_t *n, const void *element, size_t size);

#endif
