/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TOOLS_GRAPH_POLICY_H
#define TSW_TOOLS_GRAPH_POLICY_H

#include "store/tsw.h"

/* Groups and the rules between them in DOT; of one tenant or all (0). */
int graph_policies(const struct tsw *t, __u32 tenant);

#endif
