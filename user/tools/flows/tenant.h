/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands about flows share. */
#ifndef TSW_TOOLS_FLOWS_TENANT_H
#define TSW_TOOLS_FLOWS_TENANT_H

#include "cli/words.h"
#include "record/flow_list.h"
#include "store/tsw.h"
#include "watch/names.h"

/* Whose flows were asked for, which must be counted; 0: all that are. */
int flows_tenant(const struct tsw *t, const struct words *w, __u32 *id);

/* Adds both addresses, and the endpoints that they belong to. */
void flows_add_ends(const struct names *names, const struct flow_row *row, json_t *item);

bool flows_is_icmp(const struct tsw_flow_tuple *t);

#endif
