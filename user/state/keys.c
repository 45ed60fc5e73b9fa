// SPDX-License-Identifier: GPL-2.0-only
#include "record/fields.h"
#include "state/keys.h"
#include "state/state.h"

enum { FILE_FORMAT, FILE_SWITCH, FILE_HOSTS, FILE_TENANTS, FILE_PEERS };

static const struct field file_fields[] = {
	[FILE_FORMAT] = {"format", FIELD_NUMBER, 0, STATE_FORMAT, STATE_FORMAT, NULL},
	[FILE_SWITCH] = {"switch", FIELD_LATER, 0, 0, 0, NULL,
			 "defaults for hosts that give no setting of their own"},
	[FILE_HOSTS] = {"hosts", FIELD_LATER, 0, 0, 0, NULL},
	[FILE_TENANTS] = {"tenants", FIELD_LATER, 0, 0, 0, NULL},
	[FILE_PEERS] = {"peers", FIELD_LATER, 0, 0, 0, NULL},
	{},
};

const struct json_keys file_keys = {file_fields, ~0ULL, FIELD(FILE_FORMAT) | FIELD(FILE_HOSTS)};
const struct json_keys switch_keys = {switch_fields, SWITCH_IN_FILE, 0};
const struct json_keys host_keys = {host_fields, ~0ULL, FIELD(HOST_NAME) | FIELD(HOST_IP)};
const struct json_keys tenant_keys = {tenant_fields, ~0ULL, FIELD(TENANT_NAME) | FIELD(TENANT_ID)};
const struct json_keys endpoint_keys = {endpoint_fields, ~FIELD(ENDPOINT_TENANT),
					FIELD(ENDPOINT_NAME) | FIELD(ENDPOINT_MAC) |
						FIELD(ENDPOINT_HOST)};
const struct json_keys gateway_keys = {gateway_fields, GATEWAY_IN_FILE, FIELD(GATEWAY_IP)};
const struct json_keys publish_keys = {
	publish_fields, ~0ULL, FIELD(PUBLISH_PROTO) | FIELD(PUBLISH_PORT) | FIELD(PUBLISH_TO)};
const struct json_keys peer_keys = {peer_fields, ~0ULL, FIELD(PEER_TENANT) | FIELD(PEER_WITH)};
const struct json_keys group_keys = {group_fields, ~0ULL, FIELD(GROUP_NAME)};
const struct json_keys policy_keys = {policy_fields, ~0ULL,
				      FIELD(POLICY_NAME) | FIELD(POLICY_FROM) | FIELD(POLICY_TO)};
