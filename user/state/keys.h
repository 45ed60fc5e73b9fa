/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys that each object of a state file may have, and those that it must have. */
#ifndef TSW_STATE_KEYS_H
#define TSW_STATE_KEYS_H

#include "base/field_json.h"

extern const struct json_keys file_keys, switch_keys, host_keys, tenant_keys, endpoint_keys,
	gateway_keys, publish_keys, peer_keys, group_keys, policy_keys;

#endif
