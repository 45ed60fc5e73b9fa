// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "cni/container_ns.h"
#include "cni/ipam.h"
#include "cni/ports.h"
#include "cni/result.h"
#include "kernel/link.h"
#include "plug/names.h"
#include "record/choice.h"
#include "record/fields.h"

/* An ADD, and what it has made, which is removed if the rest fails. */
struct adding {
	struct cni *c;
	struct want want;
	struct tenancy tenancy;
	struct world world;
	struct tsw_mac host_mac;
	json_t *ipam;			   /* the IPAM plugin's result */
	bool device, asked_ipam, endpoint; /* already made */
};

/* Checks everything that can be refused before anything is made. */
static int prepare(struct adding *a)
{
	static const struct tsw_mac none;
	struct cni *c = a->c;
	int err = world_tenant(&a->world, &c->tenant, &a->tenancy);

	if (err == -ENOENT && c->tenant_from)
		fail_more(", which is %s", c->tenant_from);
	if (err == -ENOENT)
		return cni_code(c, CNI_BAD_CONFIG, err);
	err = err ?: cni_code(c, CNI_BAD_CONFIG, tenancy_mtu(&a->tenancy, &a->want.mtu));
	err = err ?: ports_check(c, a->want.ports, &a->tenancy);
	if (!err) {
		err = world_groups(&a->world, &a->tenancy, &a->want.spec.group);
		if (err == -ENOENT)
			return cni_code(c, CNI_BAD_CONFIG, err);
	}
	if (err || !mac_equal(&a->want.mac, &none))
		return err;
	if (!a->want.dress.n_ip)
		return choice_mac(&a->want.mac);
	a->want.mac = name_mac(&a->want.dress.ip[0].at.addr);
	return 0;
}

static int make_device(struct adding *a)
{
	struct cni *c = a->c;
	const int netns cleanup_close = container_ns_open(c);
	const struct device device = {.kind = a->want.device,
				      .dev = c->names.dev,
				      .alias = c->names.own_alias,
				      .netns = netns,
				      .ifname = c->ifname,
				      .mac = a->want.mac,
				      .mtu = a->want.mtu};
	struct link link;
	int err;

	if (netns < 0)
		return netns;
	err = device_make(&device);
	if (err)
		return cni_code(c, err == -EEXIST ? CNI_BAD_ENV : CNI_REFUSED, err);
	a->device = true;
	err = link_by_name(c->names.dev, &link);
	a->host_mac = link.mac;
	return err;
}

static int ask_ipam(struct adding *a)
{
	int err;

	if (!a->c->ipam)
		return 0;
	a->asked_ipam = true; /* also a plugin that fails may have made something */
	err = ipam_call(a->c, "ADD", &a->ipam);
	return err ?: want_ipam(a->c, a->ipam, &a->want);
}

/*
 * Adds the endpoint with its name. If the name is the pod's and another endpoint has it, adds it
 * without; a name that the container asked for must be free.
 */
static int add_called(struct adding *a, struct tsw_endpoint_spec *spec, __u64 given,
		      struct tsw_endpoint_spec *got)
{
	struct given called = cni_given(&a->c->names);
	int err;

	called.name = a->want.name;
	err = given_add(&called, &a->world, spec, given, got);
	if (err != -EEXIST || !a->want.pod)
		return err;
	called.name = (struct tsw_name){};
	return given_add(&called, &a->world, spec, given, got);
}

static int make_endpoint(struct adding *a)
{
	const struct want *want = &a->want;
	struct tsw_endpoint_spec spec = want->spec, got;
	__u64 given = want->given | FIELD(ENDPOINT_NAME) | FIELD(ENDPOINT_TENANT) |
		      FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_DEV);
	int err;

	spec.tenant = a->c->tenant;
	spec.mac = want->mac;
	spec.limits = want->limits;
	spec.automatic = want->chosen ? TSW_AUTO_IP : 0;
	memcpy(spec.dev, a->c->names.dev, sizeof(spec.dev));
	for (; spec.ip.n < want->dress.n_ip; spec.ip.n++)
		spec.ip.at[spec.ip.n] = want->dress.ip[spec.ip.n].at.addr;
	given |= want->chosen ? 0 : FIELD(ENDPOINT_IP);
	given |= want->limits.rate[TSW_RATE_OUT] ? FIELD(ENDPOINT_RATE_OUT) : 0;
	given |= want->limits.rate[TSW_RATE_IN] ? FIELD(ENDPOINT_RATE_IN) : 0;
	given |= want->limits.burst ? FIELD(ENDPOINT_BURST) : 0;
	err = add_called(a, &spec, given, &got);
	if (err)
		return err;
	a->endpoint = true;
	return want_settle(a->c, &a->tenancy, &got.ip, &a->want);
}

static int dress(struct adding *a)
{
	int home = container_ns_enter(a->c), err, back;

	if (home < 0)
		return home;
	err = device_dress(a->c->ifname, &a->want.dress);
	back = container_ns_leave(home);
	return err ?: back;
}

/* Removes what was made, in the order of DEL. A later DEL removes what cannot be removed now. */
static void undo(struct adding *a)
{
	const struct failure why = *failure();
	json_t *error = json_incref(a->c->error);
	const enum cni_code code = a->c->code;

	if (a->endpoint)
		cni_del_endpoint(a->c, &a->world);
	if (a->device)
		device_remove(a->c->names.dev, a->c->names.own_alias);
	if (a->asked_ipam)
		ipam_call(a->c, "DEL", NULL);
	json_decref(a->c->error);
	a->c->error = error;
	a->c->code = code;
	fail_again(&why);
}

static int add(struct adding *a)
{
	int err = prepare(a);

	err = err ?: make_device(a);
	err = err ?: ask_ipam(a);
	err = err ?: make_endpoint(a);
	err = err ?: dress(a);
	err = err ?: ports_publish(a->c, &a->world, a->want.ports, &a->want.dress);
	if (err)
		undo(a);
	return err;
}

int cni_add(struct cni *c)
{
	struct adding a = {.c = c};
	int err = want_read(c, &a.want);

	err = err ?: world_open(&a.world, c->instance, WORLD_CHANGE_MS);
	if (!err) {
		err = add(&a);
		world_close(&a.world);
	}
	err = err ?: cni_print(c, result_json(c, &a.want, &a.host_mac));
	json_decref(a.ipam);
	return err;
}
