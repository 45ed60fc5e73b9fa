// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/spell.h"
#include "base/text.h"
#include "rules/rules.h"

int rule_missing(const char *what, const char *name)
{
	return fail(ENOENT, "there is no %s %s", what, quoted(name));
}

int rule_no_host(const char *name, const char *own)
{
	if (!strcmp(name, own))
		return fail(EINVAL, "%s is this host: give the endpoint's device with dev",
			    quoted(name));
	return fail(ENOENT, "there is no host %s; this one is %s", quoted(name), quoted(own));
}

int rule_lacks(const char *tenant, const char *what, const char *name)
{
	return fail(ENOENT, "tenant %s has no %s %s", quoted(tenant), what, quoted(name));
}

int rule_no_gateway(const char *tenant)
{
	return fail(ENOENT, "tenant %s has no gateway", quoted(tenant));
}

int rule_no_peer(const char *tenant, const char *with)
{
	return fail(ENOENT, "tenant %s is no peer with %s: its half is not there", quoted(tenant),
		    quoted(with));
}

int rule_no_publish(const char *tenant, const struct tsw_publish_spec *spec)
{
	return fail(ENOENT, "tenant %s does not publish %s port %u%s", quoted(tenant),
		    word_protos[spec->proto], spec->port, spec->to.port ? " there" : "");
}

int rule_has(const char *tenant, const char *what, const char *name)
{
	return fail(EEXIST, "tenant %s already has %s %s", quoted(tenant), what, quoted(name));
}

int rule_has_gateway(const char *tenant, const struct tsw_prefix *ip)
{
	return fail(EEXIST, "tenant %s already has a gateway, with ip %s", quoted(tenant),
		    prefix_text(ip));
}

int rule_tenant_exists(const char *name, __u32 id)
{
	return fail(EEXIST, "tenant %s exists, with id %u", quoted(name), id);
}

int rule_host_exists(const char *name, const struct tsw_addr *ip)
{
	return fail(EEXIST, "host %s exists, with ip %s", quoted(name), addr_text(ip));
}

int rule_is_peer(const char *tenant, const char *with)
{
	return fail(EEXIST, "tenant %s is already a peer with %s: its half is there",
		    quoted(tenant), quoted(with));
}

int rule_is_published(const char *tenant, const struct tsw_publish_spec *spec)
{
	return fail(EEXIST, "%s port %u%s is already published by tenant %s, to %s",
		    word_protos[spec->proto], spec->port,
		    addr_is_v4(&spec->to.addr) ? "" : " of IPv6", quoted(tenant),
		    target_text(&spec->to.addr, spec->to.port));
}

int rule_id_taken(__u32 id, const char *tenant)
{
	return fail(EEXIST, "tenant %s already has the id %u", quoted(tenant), id);
}

int rule_taken(const char *tenant, const char *what, const char *text, const char *owner)
{
	return fail(EEXIST, "tenant %s already has the %s %s%s", quoted(tenant), what, text, owner);
}

const char *rule_owner_text(const char *endpoint)
{
	static _Thread_local char text[128];

	if (!endpoint)
		return " of its gateway";
	snprintf(text, sizeof(text), " of endpoint %s", quoted(endpoint));
	return text;
}

int rule_ambiguous(const char *tenant, const char *other, const char *name)
{
	return fail(ENOTUNIQ, "tenants %s and %s both have an endpoint %s: say which with tenant T",
		    quoted(tenant), quoted(other), quoted(name));
}
