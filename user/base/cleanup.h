/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes that free or close a variable's value when its scope ends. */
#ifndef TSW_CLEANUP_H
#define TSW_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void free_pointer(void *p)
{
	free(*(void **)p);
}

static inline void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define cleanup_free __attribute__((cleanup(free_pointer)))
#define cleanup_close __attribute__((cleanup(close_fd)))

#endif
