/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conntrack that takes TCP's segments though it did not see those before: without it none of TCP
 * goes the fast way. It is the whole host's setting, so it is changed only when `tcp-liberal on`
 * says so, while there is a gateway, and put back after the last.
 */
#ifndef TSW_LIBERAL_H
#define TSW_LIBERAL_H

#include <jansson.h>

#include "store/tsw.h"

/* 1 or 0, as it is now for whatever reason; -errno: conntrack is not there. */
int liberal_is_on(void);

/* As the configuration asks; conntrack is there. */
int liberal_mend(struct tsw *t);
/* As it was before. */
int liberal_close(struct tsw *t);

/* Appends that somebody turned it off. */
void liberal_check(const struct tsw *t, json_t *problems);

#endif
