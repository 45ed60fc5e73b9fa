/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects of a state as specifications with the names of hosts and tenants, and as JSON, for
 * `save` and for reports of changes.
 */
#ifndef TSW_STATE_JSON_H
#define TSW_STATE_JSON_H

#include <jansson.h>

#include "state/state.h"

json_t *state_switch_json(const struct tsw_switch_spec *up);
json_t *state_host_json(const struct state *s, __u32 i);   /* without switch */
json_t *state_tenant_json(const struct state *s, __u32 i); /* without its parts */
struct tsw_gateway_spec state_gateway_spec(const struct state *s, __u32 i);
json_t *state_gateway_json(const struct state *s, __u32 i); /* of the I-th tenant */
struct tsw_endpoint_spec state_endpoint_spec(const struct state *s, __u32 i); /* without tenant */
json_t *state_endpoint_json(const struct state *s, __u32 i); /* `pending` only if true */
struct tsw_publish_spec state_publish_spec(const struct state *s, __u32 i);
json_t *state_publish_json(const struct state *s, __u32 i);
struct tsw_peer_spec state_peer_spec(const struct state *s, __u32 i);
json_t *state_peer_json(const struct state *s, __u32 i);

#endif
