/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of JSON, DIRECTORY/NAME, that keep for a later call what the runtime does not tell it
 * again. A file exists whole or not at all.
 */
#ifndef TSW_PLUG_KEPT_H
#define TSW_PLUG_KEPT_H

#include <stdbool.h>

#include <jansson.h>

/* Writes ALL, drops it, and replaces a file of that name. DURABLE: waits for the disk. */
int kept_write(const char *directory, const char *name, json_t *all, bool durable);

/*
 * The caller drops *ALL. -ENOENT without message: there is no such file, or an empty one, which a
 * crash may leave. -EINVAL: the file is damaged.
 */
int kept_read(const char *directory, const char *name, json_t **all);

/* 0 also if there is no such file. */
int kept_remove(const char *directory, const char *name);

/* Calls EACH for files whose name BEGINS so, until it returns other than 0; returns that. */
int kept_each(const char *directory, const char *begins,
	      int (*each)(void *context, const char *name), void *context);

#endif
