/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps that `switch check` compares with each other. */
#ifndef TSW_SNAPSHOT_H
#define TSW_SNAPSHOT_H

#include "store/tsw.h"

/* Reads them, without the maps that only programs write: counters, flows, devices. */
int snapshot_read(const struct tsw *t, struct snapshot *s);

/* The tenant's name, or its number if the name is lost. The next call overwrites the text. */
const char *snapshot_tenant(const struct snapshot *s, __u32 tenant);

#endif
