/* SPDX-License-Identifier: GPL-2.0-only */
/* What people said of a tenant. */
#ifndef TSW_RECORD_DESCRIPTION_H
#define TSW_RECORD_DESCRIPTION_H

#include "store/tsw.h"

/* Empty where there is none. */
int description_load(const struct tsw *t, __u32 tenant, struct tsw_description *description);
int description_put(const struct tsw *t, __u32 tenant, const struct tsw_description *description);

#endif
