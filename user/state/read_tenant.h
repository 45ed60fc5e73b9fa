/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads tenants and their parts from JSON, for read.c. */
#ifndef TSW_STATE_READ_TENANT_H
#define TSW_STATE_READ_TENANT_H

#include "base/field_json.h"

/*
 * Reads a tenant. TO is the state, whose hosts are sorted. Until state_settle_tenants() objects
 * refer to tenants by their place in the file.
 */
json_item state_read_tenant;

/* Read a part of the last tenant. */
json_item state_read_gateway, state_read_endpoint, state_read_publish;

/* Reads a peering, after state_settle_tenants(). */
json_item state_read_peer;

#endif
