/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of read.c that are about tenants. */
#ifndef TSW_STATE_READ_TENANT_H
#define TSW_STATE_READ_TENANT_H

#include "base/field_json.h"

/* TO is the state with its hosts, sorted. Objects refer to tenants by their place in the file. */
json_item state_read_tenant;

/* A part of the last tenant. */
json_item state_read_gateway, state_read_endpoint, state_read_publish;

/* The same, with the tenants sorted. */
json_item state_read_peer;

#endif
