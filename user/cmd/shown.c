// SPDX-License-Identifier: GPL-2.0-only
#include "base/field_json.h"
#include "base/json.h"
#include "base/spell.h"
#include "cmd/shown.h"
#include "object/fair.h"

/* Ahead of the number of endpoints, which is no field. */
#define TENANT_FIRST (FIELD(TENANT_BROADCAST + 1) - 1)

static void set_if(json_t *item, bool shown, const char *key, json_t *value)
{
	if (shown)
		json_object_set(item, key, value);
	json_decref(value);
}

json_t *shown_tenant(const struct tsw_tenant_spec *spec, bool all, __s64 endpoints)
{
	struct tsw_tenant_spec full = *spec;
	json_t *item = fields_json(tenant_fields, TENANT_FIRST, spec), *rest;

	full.limits.connections = full.limits.connections ?: TSW_FAIR_CONNECTIONS;
	full.limits.half_open = full.limits.half_open ?: TSW_FAIR_HALF_OPEN;
	rest = fields_json(tenant_fields, ~TENANT_FIRST, &full);
	json_object_set_new(item, "mtu", spec->mtu ? json_integer(spec->mtu) : json_null());
	json_object_set_new(item, "endpoints", json_integer(endpoints));
	json_object_update(item, rest);
	json_decref(rest);
	fair_json(&full.limits, item);
	set_if(item, all, "policy", json_string(word_modes[spec->policy]));
	set_if(item, all, "default", json_string(word_actions[spec->deny]));
	return item;
}
