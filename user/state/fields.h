/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of fields: what each object has, for commands and for state files. The enums are in
 * the order of their tables.
 */
#ifndef TSW_FIELDS_H
#define TSW_FIELDS_H

#include "base/field.h"
#include "base/parse.h"
#include "state/state.h"
#include "store/switch_want.h"

#define NO_HOST "none" /* as the value of `host` */

enum { DRAIN_MAX = 7 * 24 * 3600 };	 /* seconds; longer than conntrack keeps a silent flow */
enum { MTU_MIN = 576, MTU_MAX = 65535 }; /* RFC 791: what every IPv4 host takes */

extern const struct field switch_fields[]; /* of struct switch_want */
#define SWITCH_IN_FILE (~(FIELD(SWITCH_LOCAL) | FIELD(SWITCH_NAME)))

enum host_field { HOST_NAME, HOST_IP, HOST_SWITCH };
extern const struct field host_fields[]; /* of struct state_host */

enum tenant_field {
	TENANT_NAME,
	TENANT_ID,
	TENANT_ENCAP,
	TENANT_MTU,
	TENANT_BROADCAST,
	TENANT_RATE_OUT,
	TENANT_RATE_IN,
	TENANT_BURST,
	TENANT_CONNECTIONS,
	TENANT_HALF_OPEN,
	TENANT_GATEWAY,
	TENANT_ENDPOINTS,
	TENANT_PUBLISH,
};
extern const struct field tenant_fields[]; /* of struct state_tenant */

enum endpoint_field {
	ENDPOINT_NAME,
	ENDPOINT_TENANT,
	ENDPOINT_MAC,
	ENDPOINT_IP,
	ENDPOINT_DEV,
	ENDPOINT_HOST,
	ENDPOINT_RATE_OUT,
	ENDPOINT_RATE_IN,
	ENDPOINT_BURST,
};
#define ENDPOINT_LIMITS (FIELD(ENDPOINT_RATE_OUT) | FIELD(ENDPOINT_RATE_IN) | FIELD(ENDPOINT_BURST))
struct endpoint_want {
	struct tsw_name name;
	struct tsw_name tenant;
	struct tsw_mac mac;
	struct addr_list ip;
	char dev[IFNAMSIZ];
	struct tsw_name host;
	struct limits limits;
};
extern const struct field endpoint_fields[];

enum gateway_field {
	GATEWAY_IP,
	GATEWAY_HOST,
	GATEWAY_MAC,
	GATEWAY_NAT,
	GATEWAY_SNAT,
	GATEWAY_DRAIN,
};
#define GATEWAY_IN_FILE (~FIELD(GATEWAY_DRAIN))
struct gateway_want {
	struct prefix_list ip;
	struct tsw_name host;
	struct tsw_mac mac;
	bool nat;
	struct addr_pair snat;
	__u32 drain; /* seconds */
};
extern const struct field gateway_fields[];

enum publish_field { PUBLISH_PROTO, PUBLISH_PORT, PUBLISH_TO, PUBLISH_HOST };
struct publish_want {
	__u32 proto; /* PROTO_* of spell.h */
	__u32 port;
	struct target to;
	struct tsw_name host;
};
extern const struct field publish_fields[];

enum peer_field { PEER_TENANT, PEER_WITH, PEER_PROTO, PEER_PORT, PEER_PREFIX };
#define PEER_SERVICE (FIELD(PEER_PROTO) | FIELD(PEER_PORT))
struct peer_want {
	struct tsw_name tenant;
	struct tsw_name with;
	__u32 proto; /* PROTO_*; without port: of all */
	__u32 port;
	struct prefix_list prefix;
};
extern const struct field peer_fields[];

/* Of an IP header. */
__u8 proto_number(__u32 proto);

#endif
