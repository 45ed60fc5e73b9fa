/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of a switch, as `switch up` and `switch set` take them. */
#ifndef TSW_SWITCH_FIELDS_H
#define TSW_SWITCH_FIELDS_H

#include <tsw/switch.h>

#include "base/field.h"

/* Indices of switch_fields. FIELD() of one is its bit in `given` of struct tsw_switch_spec. */
enum switch_field {
	SWITCH_DEV,
	SWITCH_LOCAL,
	SWITCH_NAME,
	SWITCH_PORT,
	SWITCH_XDP,
	SWITCH_ATTACH,
	SWITCH_MAX_ENDPOINTS,
	SWITCH_MAX_TENANTS,
	SWITCH_ZONE,
	SWITCH_ENCRYPT,
	SWITCH_WG_PORT,
	SWITCH_NAT_PORTS,
	SWITCH_CLOSED,
};

_Static_assert(TSW_SWITCH_DEV == FIELD(SWITCH_DEV) && TSW_SWITCH_WG_PORT == FIELD(SWITCH_WG_PORT),
	       "tsw/switch.h has the same bits");

enum { MAX_ENDPOINTS_MOST = 1 << 24, MAX_TENANTS_MOST = 1 << 20 };
enum { WG_PORT_MOST = 65535 - TSW_CRYPT_PARITIES * TSW_CRYPT_PARITIES + 1 };

#endif
