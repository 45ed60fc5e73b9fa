/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks an endpoint, and changes it as a whole. */
#ifndef TSW_ENDPOINT_H
#define TSW_ENDPOINT_H

#include "record/endpoint_find.h"
#include "store/tsw.h"

/* Checks that DEV can be an endpoint's device. It may be another endpoint's at present. */
int endpoint_check_device(struct tsw *t, const char *dev);

/*
 * Each sets the place of EP, after a check that EP can live there: the device DEV of this host, or
 * another host. -ENODEV, -EEXIST, -EINVAL, -EOPNOTSUPP: with a message.
 */
int endpoint_at_device(struct tsw *t, const char *dev, struct endpoint *ep);
int endpoint_at_host(const struct tsw *t, const struct tsw_name *host, struct endpoint *ep);
/* EP begins to move from its present place to to_dev or to_host of SPEC. */
int endpoint_moves(struct tsw *t, const struct tsw_endpoint_spec *spec, struct endpoint *ep);
/* EP stays at its present place. -ENODEV: the place is unknown, or the device is gone. */
int endpoint_stay(struct tsw *t, struct endpoint *ep);

/*
 * Makes the endpoint WANT, or changes OLD into it. For a new endpoint OLD is NULL. One of the
 * functions above has set the place of WANT. All checks come before the first write.
 */
int endpoint_change(struct tsw *t, const struct endpoint *old, const struct endpoint *want);
int endpoint_del(struct tsw *t, const struct endpoint *ep);
/* Deletes all endpoints of a tenant. */
int endpoint_del_all(struct tsw *t, __u32 tenant);

#endif
