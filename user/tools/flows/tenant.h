/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands about flows share. */
#ifndef TSW_TOOLS_FLOWS_TENANT_H
#define TSW_TOOLS_FLOWS_TENANT_H

#include "cli/words.h"
#include "store/tsw.h"

/* Whose flows were asked for, which must be counted; 0: all that are. */
int flows_tenant(const struct tsw *t, const struct words *w, __u32 *id);

#endif
