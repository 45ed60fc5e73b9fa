/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of fields: each lists what an object has, for commands and for state files. Each enum
 * has the order of its table.
 */
#ifndef TSW_FIELDS_H
#define TSW_FIELDS_H

#include <tsw/object.h>

#include "base/field.h"
#include "store/switch_fields.h"

/* The fields from FIRST up to END, without END. */
#define FIELDS(first, end) (FIELD(end) - FIELD(first))

#define NO_HOST "none" /* as the value of `host` */

enum { DRAIN_MAX = 7 * 24 * 3600 };	 /* seconds; conntrack forgets idle flows sooner */
enum { MTU_MIN = 576, MTU_MAX = 65535 }; /* octets; RFC 791: every IPv4 host accepts 576 */

enum object_kind {
	OBJECT_HOST,
	OBJECT_TENANT,
	OBJECT_GROUP,
	OBJECT_ENDPOINT,
	OBJECT_GATEWAY,
	OBJECT_PUBLISH,
	OBJECT_PEER,
	OBJECT_POLICY, /* one rule */
	OBJECT_KINDS,  /* the kinds before this one exist in a cluster, too */
	OBJECT_SWITCH = OBJECT_KINDS,
};

extern const struct field switch_fields[]; /* of struct tsw_switch_spec */
/* The fields that `switch set` can change. */
#define SWITCH_CHANGES                                                                      \
	(FIELD(SWITCH_DEV) | FIELD(SWITCH_LOCAL) | FIELD(SWITCH_XDP) | FIELD(SWITCH_ZONE) | \
	 FIELD(SWITCH_ENCRYPT) | FIELD(SWITCH_WG_PORT) | FIELD(SWITCH_NAT_PORTS) |          \
	 FIELD(SWITCH_CLOSED))
/* The fields in the `switch` of a state file. The file has the other ones in its host. */
#define SWITCH_IN_FILE (~(FIELD(SWITCH_LOCAL) | FIELD(SWITCH_NAME) | FIELD(SWITCH_ZONE)))

enum host_field { HOST_NAME, HOST_IP, HOST_ZONE, HOST_KEY, HOST_MTU, HOST_SWITCH };
#define HOST_TOLD FIELDS(HOST_IP, HOST_SWITCH) /* can be changed */
extern const struct field host_fields[];       /* of struct tsw_host_spec */

enum tenant_field {
	TENANT_NAME,
	TENANT_ID,
	TENANT_ENCAP,
	TENANT_MTU,
	TENANT_BROADCAST,
	TENANT_DHCP,
	TENANT_NEVER_DEFAULT,
	TENANT_DHCP_RELAY,
	TENANT_DNS,
	TENANT_DOMAIN,
	TENANT_BOOT_SERVER,
	TENANT_BOOT_FILE,
	TENANT_RATE_OUT,
	TENANT_RATE_IN,
	TENANT_BURST,
	TENANT_CONNECTIONS,
	TENANT_HALF_OPEN,
	TENANT_NET,
	TENANT_DESCRIPTION,
	TENANT_POLICY,
	TENANT_DEFAULT,
	TENANT_FLOWS,
	TENANT_FLOW_ENTRIES,
	TENANT_MAX_ENDPOINTS,
	TENANT_LATER, /* from here on: keys of JSON that have their own readers */
	TENANT_GATEWAY = TENANT_LATER,
	TENANT_GROUPS,
	TENANT_POLICIES,
	TENANT_ENDPOINTS,
	TENANT_PUBLISH,
};
#define TENANT_SETTINGS FIELDS(TENANT_ID, TENANT_LATER)
/* The gateway and the lists, which are objects with their own entries in maps. */
#define TENANT_PARTS                                                             \
	(FIELD(TENANT_GATEWAY) | FIELD(TENANT_GROUPS) | FIELD(TENANT_POLICIES) | \
	 FIELD(TENANT_ENDPOINTS) | FIELD(TENANT_PUBLISH))
extern const struct field tenant_fields[]; /* of struct tsw_tenant_spec */

enum endpoint_field {
	ENDPOINT_NAME,
	ENDPOINT_TENANT,
	ENDPOINT_MAC,
	ENDPOINT_IP,
	ENDPOINT_DEV,
	ENDPOINT_HOST,
	ENDPOINT_TO_DEV,
	ENDPOINT_TO_HOST,
	ENDPOINT_SERVER,
	ENDPOINT_XDP,
	ENDPOINT_RATE_OUT,
	ENDPOINT_RATE_IN,
	ENDPOINT_BURST,
	ENDPOINT_GROUP,
	ENDPOINT_VIP,
	ENDPOINT_PREFIX,
	ENDPOINT_MACS,
	ENDPOINT_END
};
#define ENDPOINT_OPTIONS FIELDS(ENDPOINT_SERVER, ENDPOINT_RATE_OUT) /* on or off */
#define ENDPOINT_SETTINGS FIELDS(ENDPOINT_TENANT, ENDPOINT_END)
/* The fields of a place that the endpoint moves to. */
#define ENDPOINT_TO (FIELD(ENDPOINT_TO_DEV) | FIELD(ENDPOINT_TO_HOST))
#define ENDPOINT_LIMITS (FIELD(ENDPOINT_RATE_OUT) | FIELD(ENDPOINT_RATE_IN) | FIELD(ENDPOINT_BURST))
extern const struct field endpoint_fields[]; /* of struct tsw_endpoint_spec */

enum gateway_field {
	GATEWAY_IP,
	GATEWAY_HOST,
	GATEWAY_BACKUP,
	GATEWAY_MAC,
	GATEWAY_NAT,
	GATEWAY_SNAT,
	GATEWAY_RESOLVER,
	GATEWAY_FAST,
	GATEWAY_METADATA,
	GATEWAY_TIMEOUT,				    /* first of TSW_TIMEOUT_OWN fields */
	GATEWAY_HELPER = GATEWAY_TIMEOUT + TSW_TIMEOUT_OWN, /* first of TSW_HELPERS fields */
	GATEWAY_SETTINGS_END = GATEWAY_HELPER + TSW_HELPERS,
	GATEWAY_DRAIN = GATEWAY_SETTINGS_END, /* only an option of `set`, not stored */
};
#define GATEWAY_SETTINGS FIELDS(GATEWAY_IP, GATEWAY_SETTINGS_END)
#define GATEWAY_TRACKING FIELDS(GATEWAY_TIMEOUT, GATEWAY_SETTINGS_END)
/* The hosts that serve the gateway. They change together. */
#define GATEWAY_HOSTS (FIELD(GATEWAY_HOST) | FIELD(GATEWAY_BACKUP))
#define GATEWAY_IN_FILE (~FIELD(GATEWAY_DRAIN))
extern const struct field gateway_fields[]; /* of struct tsw_gateway_spec */

enum publish_field { PUBLISH_PROTO, PUBLISH_PORT, PUBLISH_TO, PUBLISH_HOST };
extern const struct field publish_fields[]; /* of struct tsw_publish_spec */

enum peer_field { PEER_TENANT, PEER_WITH, PEER_PROTO, PEER_PORT, PEER_PREFIX };
#define PEER_SERVICE (FIELD(PEER_PROTO) | FIELD(PEER_PORT))
extern const struct field peer_fields[]; /* of struct tsw_peer_spec */

enum group_field { GROUP_NAME };
extern const struct field group_fields[]; /* of struct tsw_name */

enum policy_field {
	POLICY_NAME,
	POLICY_FROM,
	POLICY_TO,
	POLICY_PROTO,
	POLICY_PORT,
	POLICY_ACTION,
	POLICY_PRIORITY,
	POLICY_LOG,
};
extern const struct field policy_fields[]; /* of struct tsw_policy_spec */

enum { PRIORITY_MAX = 65535 };

/*
 * Returns FLAGS with the bits set or cleared as the bools in OBJECT say; other bits are kept.
 * fields_from_flags() sets the bools from the bits.
 */
__u32 fields_to_flags(const struct field *fields, const void *object, __u32 flags);
void fields_from_flags(const struct field *fields, __u32 flags, void *object);

/* The first field of any object that has this JSON key; NULL: there is no such field. */
const struct field *field_of_key(const char *key);

/* The number in IP headers of PROTO, one of the choices in word_protos. */
__u8 proto_number(__u32 proto);

#endif
