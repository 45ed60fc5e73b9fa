// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/cni.h"
#include "cni/container_ns.h"
#include "cni/ipam.h"
#include "cni/result.h"
#include "cni/want.h"
#include "kernel/link.h"

/* ---- CHECK ------------------------------------------------------------------------ */

static int check_container(struct cni *c, const struct tsw_mac *mac, const struct dress *dress)
{
	int fd = container_ns_open(c), home, err, back;

	if (fd < 0)
		return fd;
	close(fd);
	home = container_ns_enter(c);
	if (home < 0)
		return home;
	err = cni_code(c, CNI_DIFFERS, device_check(c->ifname, mac, dress));
	back = container_ns_leave(home);
	return err ?: back;
}

static int check_host(struct cni *c)
{
	struct link link;

	if (link_by_name(c->names.dev, &link))
		return fail(ENOENT, "the host's device %s is gone", quoted(c->names.dev));
	if (strcmp(link.alias, c->names.own_alias) != 0)
		return fail(ENOENT, "device %s belongs to another container", quoted(c->names.dev));
	return link.flags & IFF_UP
		       ? 0
		       : fail(ENOENT, "the host's device %s is down", quoted(c->names.dev));
}

static int check_endpoint(struct cni *c, const struct tsw_mac *mac, const struct dress *dress,
			  const struct want *want)
{
	struct given given = cni_given(&c->names);
	const char *name;
	struct tsw_endpoint_spec got;
	struct world w;
	unsigned int i;
	int err = world_open(&w, c->instance, WORLD_ASK_MS);

	err = err ?: given_load(&given, &w, &c->tenant);
	name = given_name(&given)->s;
	err = err ?: given_get(&given, &w, &c->tenant, &got);
	world_close(&w);
	if (err)
		return err;
	if (strcmp(got.dev, c->names.dev) || !mac_equal(&got.mac, mac))
		return fail(ENOENT, "endpoint %s is not %s at device %s", quoted(name),
			    mac_text(mac), quoted(c->names.dev));
	for (i = 0; i < dress->n_ip; i++)
		if (!addr_list_has(&got.ip, &dress->ip[i].at.addr))
			return fail(ENOENT, "endpoint %s has no address %s", quoted(name),
				    addr_text(&dress->ip[i].at.addr));
	return offer_check(name, want->given, &want->spec, &got);
}

int cni_check(struct cni *c)
{
	struct tsw_mac mac = {};
	struct dress dress = {};
	struct want want = {};
	int err = result_read(c, &mac, &dress);

	err = err ?: want_offers(c, &want);
	err = err ?: check_container(c, &mac, &dress);
	err = err ?: cni_code(c, CNI_DIFFERS, check_host(c));
	err = err ?: cni_code(c, CNI_DIFFERS, check_endpoint(c, &mac, &dress, &want));
	return err || !c->ipam ? err : ipam_call(c, "CHECK", NULL);
}

/* ---- STATUS ----------------------------------------------------------------------- */

int cni_status(struct cni *c)
{
	struct tenancy unused;
	struct world w = WORLD_CLOSED;
	int err = cni_check_keys(c);

	err = err ?: world_open(&w, c->instance, WORLD_ASK_MS);
	err = err ?: world_answers(&w);
	if (!err && *c->tenant.s)
		err = world_tenant(&w, &c->tenant, &unused);
	world_close(&w);
	err = cni_code(c, CNI_UNAVAILABLE, err);
	return err || !c->ipam ? err : ipam_call(c, "STATUS", NULL);
}
