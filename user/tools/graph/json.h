/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph as JSON, for programs that draw it themselves. */
#ifndef TSW_TOOLS_GRAPH_JSON_H
#define TSW_TOOLS_GRAPH_JSON_H

#include <jansson.h>

#include "tools/graph/read.h"

/* Hosts, tenants, endpoints, gateways, peerings and published ports, each an array. */
json_t *graph_json(const struct tsw *t, const struct graph *g);

#endif
