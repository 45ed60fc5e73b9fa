/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoints: checking, and changing them as a whole. */
#ifndef TSW_ENDPOINT_H
#define TSW_ENDPOINT_H

#include "store/tsw.h"
#include "record/endpoint_find.h"

/* An endpoint can be there, whoever is there now. */
int endpoint_check_device(struct tsw *t, const char *dev);

/* Where it is to be: a device here, another host, or where it is; checked to be possible. */
int endpoint_at_device(struct tsw *t, const char *dev, struct endpoint *ep);
int endpoint_at_host(const struct tsw *t, const struct tsw_name *host, struct endpoint *ep);
/* From where it lives on to what SPEC says as to_dev or to_host. */
int endpoint_moves(struct tsw *t, const struct tsw_endpoint_spec *spec, struct endpoint *ep);
int endpoint_stay(struct tsw *t, struct endpoint *ep);

/*
 * OLD is what is there under that key, or NULL; WANT has its place by one of the above. All is
 * checked before anything is changed.
 */
int endpoint_change(struct tsw *t, const struct endpoint *old, const struct endpoint *want);
int endpoint_del(struct tsw *t, const struct endpoint *ep);
int endpoint_del_all(struct tsw *t, __u32 tenant);

#endif
