/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares objects of the existing state (HAVE) with those of the wanted one (WANT). */
#ifndef TSW_STATE_EQUAL_H
#define TSW_STATE_EQUAL_H

#include "state/fate.h"

bool state_equal_hosts(const struct state_host *have, const struct state_host *want);
/* The same for the own host. Compares only the settings that WANT gives. */
bool state_equal_own(const struct state_host *have, const struct state_host *want);
bool state_equal_tenants(const struct state_tenant *have, const struct state_tenant *want);

/* HAVE and WANT are indices. The hosts of D are matched already. */
bool state_equal_gateways(const struct diff *d, __u32 have, __u32 want);
bool state_equal_endpoints(const struct diff *d, __u32 have, __u32 want);

/*
 * state_order_*() order two objects by what identifies them: < 0, 0 or > 0. state_equal_*() compare
 * the rest. Tenants are matched already.
 */
int state_order_publishes(const struct diff *d, size_t have, size_t want);
int state_order_peers(const struct diff *d, size_t have, size_t want);
bool state_equal_publishes(const struct diff *d, size_t have, size_t want);
int state_order_groups(const struct diff *d, size_t have, size_t want);
int state_order_policies(const struct diff *d, size_t have, size_t want);
bool state_equal_policies(const struct diff *d, size_t have, size_t want);
bool state_equal_peers(const struct diff *d, size_t have, size_t want);

bool state_same_networks(const struct state_gateway *a, const struct state_gateway *b);

/* The mask of the settings that a file gives. Without `attach` if it is auto: both modes fit. */
__u64 state_told(const struct tsw_switch_spec *up);

#endif
