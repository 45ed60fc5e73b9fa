// SPDX-License-Identifier: GPL-2.0-only

#include "base/err.h"
#include "base/field_json.h"
#include "base/text.h"
#include "lib/lib.h"
#include "object/gateway.h"
#include "object/peer.h"
#include "object/spec.h"
#include "record/gateway_find.h"

/* ---- gateways --------------------------------------------------------------------- */

static int gateway(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec,
		   enum spec_how how)
{
	static const struct tsw_mac none;
	struct json_keys keys = {gateway_fields, ~0ULL, FIELD(GATEWAY_IP)};
	struct tsw_gateway_spec clean = TSW_GATEWAY_DEFAULTS;
	struct tsw_name of;
	int err = lib_name(tenant, &of);

	if (mac_equal(&spec->mac, &none))
		keys.may &= ~FIELD(GATEWAY_MAC);
	if (!spec->host.s[0])
		keys.may &= ~GATEWAY_HOSTS;
	err = err ?: fields_clean(keys, spec, &clean);
	if (!err && !clean.ip.n)
		err = misuse("a gateway needs an address");
	err = err ?: spec_check_gateway(&clean, keys.may);
	err = err ?: lib_write(t);
	return err ?: spec_gateway(t, &of, &clean, keys.may, how);
}

int tsw_gateway_add(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec)
{
	return gateway(t, tenant, spec, SPEC_ADD);
}

int tsw_gateway_put(struct tsw *t, const char *tenant, const struct tsw_gateway_spec *spec)
{
	return gateway(t, tenant, spec, SPEC_PUT);
}

static int find(const struct tsw *t, const char *tenant, __u32 *id, struct tsw_gateway *gw)
{
	struct tsw_name of;
	int err = lib_name(tenant, &of);

	return err ?: gateway_find(t, &of, id, gw);
}

int tsw_gateway_get(struct tsw *t, const char *tenant, struct tsw_gateway_spec *spec)
{
	struct tsw_gateway gw;
	__u32 id;
	int err = lib_read(t);

	err = err ?: find(t, tenant, &id, &gw);
	return err ?: spec_get_gateway(t, &gw, spec);
}

int tsw_gateway_del(struct tsw *t, const char *tenant, bool force)
{
	struct tsw_gateway gw;
	__u32 id;
	int err = lib_write(t);

	err = err ?: find(t, tenant, &id, &gw);
	return err ?: gateway_del(t, id, &gw, force);
}

/* ---- published ports and peerings ------------------------------------------------- */

static int publish(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec, bool del)
{
	const bool to = spec->to.port || !del;
	const __u64 fields =
		FIELD(PUBLISH_PROTO) | FIELD(PUBLISH_PORT) | (to ? FIELD(PUBLISH_TO) : 0);
	struct tsw_publish_spec clean = {};
	struct tsw_name of;
	int err = lib_name(tenant, &of);

	if (!err)
		err = fields_clean((struct json_keys){publish_fields, fields, fields}, spec,
				   &clean);
	err = err ?: lib_write(t);
	return err ?: spec_publish(t, &of, &clean, del);
}

int tsw_publish_add(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec)
{
	return publish(t, tenant, spec, false);
}

int tsw_publish_del(struct tsw *t, const char *tenant, const struct tsw_publish_spec *spec)
{
	return publish(t, tenant, spec, true);
}

int tsw_peer_add(struct tsw *t, const struct tsw_peer_spec *spec)
{
	const __u64 both = FIELD(PEER_TENANT) | FIELD(PEER_WITH);
	const __u64 given = both | FIELD(PEER_PREFIX) | (spec->port ? PEER_SERVICE : 0);
	struct tsw_peer_spec clean = {};
	int err = fields_clean((struct json_keys){peer_fields, given, both}, spec, &clean);

	err = err ?: lib_write(t);
	return err ?: spec_peer(t, &clean);
}

int tsw_peer_del(struct tsw *t, const char *tenant, const char *with)
{
	struct tsw_name of, other;
	int err = lib_name(tenant, &of);

	err = err ?: lib_name(with, &other);
	err = err ?: lib_write(t);
	return err ?: peer_del(t, &of, &other);
}
