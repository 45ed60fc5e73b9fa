// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/parse.h"
#include "lib/lib.h"
#include "object/endpoint.h"
#include "object/host.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/counters.h"
#include "record/tenant_find.h"

/* ---- text ------------------------------------------------------------------------- */

int tsw_read_name(const char *text, struct tsw_name *name)
{
	return parse_name(text, name);
}

int tsw_read_addr(const char *text, struct tsw_addr *addr)
{
	return parse_ip(text, addr);
}

int tsw_read_mac(const char *text, struct tsw_mac *mac)
{
	return parse_mac(text, mac);
}

int tsw_read_prefix(const char *text, struct tsw_prefix *prefix)
{
	return parse_prefix(text, prefix);
}

/* ---- hosts ------------------------------------------------------------------------ */

static int host(struct tsw *t, const struct tsw_host_spec *spec, enum spec_how how)
{
	const __u64 fields = FIELD(HOST_NAME) | HOST_TOLD,
		    needs = FIELD(HOST_NAME) | FIELD(HOST_IP);
	struct tsw_host_spec clean = {};
	int err = fields_clean((struct json_keys){host_fields, fields, needs}, spec, &clean);

	if (!err && field_is_empty(&host_fields[HOST_IP], &clean))
		err = misuse("a host needs a tunnel address");
	err = err ?: spec_check_host(&clean.name);
	err = err ?: lib_write(t);
	return err ?: spec_host(t, &clean, fields, how);
}

int tsw_host_add(struct tsw *t, const struct tsw_host_spec *spec)
{
	return host(t, spec, SPEC_ADD);
}

int tsw_host_put(struct tsw *t, const struct tsw_host_spec *spec)
{
	return host(t, spec, SPEC_PUT);
}

int tsw_host_del(struct tsw *t, const char *name)
{
	struct tsw_name known;
	int err = lib_name(name, &known);

	err = err ?: lib_write(t);
	return err ?: host_del(t, &known, false);
}

/* ---- tenants ---------------------------------------------------------------------- */

/* Leaves out a burst that was not given, because a burst without a rate is refused. */
static __u64 without_burst(const struct tsw_limits *limits, __u64 burst)
{
	return limits->burst ? ~0ULL : ~burst;
}

/* Removes fields from KEYS that the switch chooses. */
static int leave_out(__u32 automatic, const struct field *fields, struct json_keys *keys)
{
	size_t i;

	for (i = 0; fields[i].key; i++)
		if (fields[i].automatic & automatic) {
			keys->must &= ~FIELD(i);
			/* A list may have other values beside the chosen one. */
			if (!field_is_list(&fields[i]))
				keys->may &= ~FIELD(i);
			automatic &= ~fields[i].automatic;
		}
	return automatic ? misuse("automatic: 0x%x is not possible here", automatic) : 0;
}

static int tenant(struct tsw *t, const struct tsw_tenant_spec *spec, enum spec_how how)
{
	const __u64 given = without_burst(&spec->limits, FIELD(TENANT_BURST));
	struct json_keys keys = {tenant_fields, ~0ULL, FIELD(TENANT_NAME) | FIELD(TENANT_ID)};
	struct tsw_tenant_spec clean = {};
	int err = leave_out(spec->automatic, tenant_fields, &keys);

	err = err ?: fields_clean(keys, spec, &clean);
	clean.automatic = spec->automatic;
	err = err ?: spec_check_id(&clean, given);
	err = err ?: lib_write(t);
	return err ?: spec_tenant(t, &clean, given, how);
}

int tsw_tenant_add(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return tenant(t, spec, SPEC_ADD);
}

int tsw_tenant_put(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return tenant(t, spec, SPEC_PUT);
}

int tsw_tenant_get(struct tsw *t, const char *name, struct tsw_tenant_spec *spec)
{
	struct tsw_name known;
	int err = lib_name(name, &known);

	err = err ?: lib_read(t);
	return err ?: spec_get_tenant(t, &known, spec);
}

int tsw_tenant_del(struct tsw *t, const char *name, bool force)
{
	struct tsw_name known;
	int err = lib_name(name, &known);

	err = err ?: lib_write(t);
	return err ?: tenant_del(t, &known, force);
}

int tsw_tenant_counters(struct tsw *t, const char *name, struct tsw_stats *stats, __u64 *drops)
{
	cleanup_drops struct drops all = {};
	struct tsw_name known;
	__u32 id;
	int err = lib_name(name, &known);

	err = err ?: lib_read(t);
	err = err ?: tenant_id(t, &known, &id);
	err = err ?: drops_read(t, &all);
	if (err)
		return err;
	*drops = drops_of(&all, id);
	return tenant_stats(t, id, stats);
}

/* ---- endpoints -------------------------------------------------------------------- */

static int endpoint(struct tsw *t, const struct tsw_endpoint_spec *spec, enum spec_how how)
{
	struct json_keys keys = {
		endpoint_fields, without_burst(&spec->limits, FIELD(ENDPOINT_BURST)),
		FIELD(ENDPOINT_NAME) | FIELD(ENDPOINT_TENANT) | FIELD(ENDPOINT_MAC)};
	struct tsw_endpoint_spec clean = {};
	int err;

	if (!spec->dev[0])
		keys.may &= ~FIELD(ENDPOINT_DEV);
	if (!spec->host.s[0])
		keys.may &= ~FIELD(ENDPOINT_HOST);
	if (!spec->to_dev[0])
		keys.may &= ~FIELD(ENDPOINT_TO_DEV);
	if (!spec->to_host.s[0])
		keys.may &= ~FIELD(ENDPOINT_TO_HOST);
	err = leave_out(spec->automatic, endpoint_fields, &keys);
	err = err ?: fields_clean(keys, spec, &clean);
	clean.automatic = spec->automatic;
	if (!err && (how == SPEC_ADD || spec->dev[0]))
		err = spec_check_place(keys.may);
	err = err ?: spec_check_to(keys.may);
	err = err ?: lib_write_counted(t);
	return err ?: spec_endpoint(t, &clean, keys.may, how);
}

int tsw_endpoint_add(struct tsw *t, const struct tsw_endpoint_spec *spec)
{
	return endpoint(t, spec, SPEC_ADD);
}

int tsw_endpoint_put(struct tsw *t, const struct tsw_endpoint_spec *spec)
{
	return endpoint(t, spec, SPEC_PUT);
}

static int find_endpoint(const struct tsw *t, const char *tenant, const char *name,
			 struct endpoint *ep)
{
	struct tsw_name of, known;
	int err = lib_name(tenant, &of);

	err = err ?: lib_name(name, &known);
	return err ?: endpoint_find(t, &of, &known, ep);
}

int tsw_endpoint_get(struct tsw *t, const char *tenant, const char *name,
		     struct tsw_endpoint_spec *spec)
{
	struct endpoint ep;
	int err = lib_read(t);

	err = err ?: find_endpoint(t, tenant, name, &ep);
	return err ?: spec_get_endpoint(t, &ep, spec);
}

int tsw_endpoint_del(struct tsw *t, const char *tenant, const char *name)
{
	struct endpoint ep;
	int err = lib_write_counted(t);

	err = err ?: find_endpoint(t, tenant, name, &ep);
	return err ?: endpoint_del(t, &ep);
}
