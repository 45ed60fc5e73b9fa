/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an object of one state equals that of the other. */
#ifndef TSW_STATE_EQUAL_H
#define TSW_STATE_EQUAL_H

#include "state/fate.h"

bool state_equal_hosts(const struct state_host *have, const struct state_host *want);
/* Of the own host: compares what WANT gives. */
bool state_equal_own(const struct state_host *have, const struct state_host *want);
bool state_equal_tenants(const struct state_tenant *have, const struct state_tenant *want);

/* By index; hosts are matched already. */
bool state_equal_gateways(const struct diff *d, __u32 have, __u32 want);
bool state_equal_endpoints(const struct diff *d, __u32 have, __u32 want);

/* Orders objects by what identifies them: < 0, 0 or > 0. Tenants are matched already. */
int state_order_publishes(const struct diff *d, size_t have, size_t want);
int state_order_peers(const struct diff *d, size_t have, size_t want);
/* Whether the rest is equal. */
bool state_equal_publishes(const struct diff *d, size_t have, size_t want);
int state_order_groups(const struct diff *d, size_t have, size_t want);
int state_order_policies(const struct diff *d, size_t have, size_t want);
bool state_equal_policies(const struct diff *d, size_t have, size_t want);
bool state_equal_peers(const struct diff *d, size_t have, size_t want);

bool state_same_networks(const struct state_gateway *a, const struct state_gateway *b);
bool state_gateways_overlap(const struct state_gateway *a, const struct state_gateway *b);

/* The settings that a file gives. `attach auto` accepts either way. */
__u64 state_told(const struct tsw_switch_spec *up);

#endif
