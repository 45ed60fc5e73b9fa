/* SPDX-License-Identifier: GPL-2.0-only */
/* What `switch up` and `switch set` are asked, and what a state file says of a host's switch. */
#ifndef TSW_SWITCH_WANT_H
#define TSW_SWITCH_WANT_H

#include "base/field.h"

/* In the order of switch_fields. */
enum switch_field {
	SWITCH_DEV,
	SWITCH_LOCAL,
	SWITCH_NAME,
	SWITCH_PORT,
	SWITCH_XDP,
	SWITCH_ATTACH,
	SWITCH_MAX_ENDPOINTS,
	SWITCH_MAX_TENANTS,
};

struct switch_want {
	__u64 given; /* FIELD(SWITCH_*); what was not given is zero */
	struct device_list dev;
	struct addr_pair local;
	struct tsw_name name; /* this host's */
	__u32 port;
	__u32 xdp;    /* XDP_* of spell.h */
	__u32 attach; /* ATTACH_* */
	__u32 max_endpoints;
	__u32 max_tenants;
};

enum { MAX_ENDPOINTS_MOST = 1 << 24, MAX_TENANTS_MOST = 1 << 20 };

#endif
