/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps that `switch check` compares with each other. */
#ifndef TSW_SNAPSHOT_H
#define TSW_SNAPSHOT_H

#include "store/tsw.h"

/* Without the maps that only programs know: counters, flows, devices. */
int snapshot_read(const struct tsw *t, struct snapshot *s);

/* What an operator calls the tenant: its name, or if that is lost, its number. One buffer. */
const char *snapshot_tenant(const struct snapshot *s, __u32 tenant);

#endif
