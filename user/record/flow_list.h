/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the counted flows of tenants from the maps. */
#ifndef TSW_FLOW_LIST_H
#define TSW_FLOW_LIST_H

#include "store/tsw.h"

/* How many buckets a table with room for so many flows has. */
__u32 flow_buckets(__u32 entries);

/* Reads the tenant's table; all zero if its flows were never counted. */
int flow_table_load(const struct tsw *t, __u32 tenant, struct tsw_flow_table *table);

struct flow_list {
	struct flow_row {
		__u32 tenant;
		struct tsw_flow_record record;
	} * row;
	size_t n;
	size_t room;
};

/* Reads the flows of one tenant. TENANT 0: of all tenants whose flows are counted. */
int flow_list_read(const struct tsw *t, __u32 tenant, struct flow_list *list);
void flow_list_free(struct flow_list *list);

#define cleanup_flow_list __attribute__((cleanup(flow_list_free)))

#endif
