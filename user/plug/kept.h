/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a later call must know and is not told: a file of JSON for each such thing, DIRECTORY/NAME.
 * It is there whole or not at all.
 */
#ifndef TSW_PLUG_KEPT_H
#define TSW_PLUG_KEPT_H

#include <stdbool.h>

#include <jansson.h>

/* ALL is taken. One of that name goes. DURABLE: it is on the disk then, with its name. */
int kept_write(const char *directory, const char *name, json_t *all, bool durable);

/*
 * -ENOENT without message: there is none, or one without text, as a crash leaves it. -EINVAL: it is
 * damaged. *ALL is to be given back.
 */
int kept_read(const char *directory, const char *name, json_t **all);

/* One that is not there is no error. */
int kept_remove(const char *directory, const char *name);

/* EACH for those whose name begins so, until it returns other than 0; that is returned. */
int kept_each(const char *directory, const char *begins,
	      int (*each)(void *context, const char *name), void *context);

#endif
