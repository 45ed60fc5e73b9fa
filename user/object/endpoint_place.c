// SPDX-License-Identifier: GPL-2.0-only
/* Where an endpoint lives: the device or the host that it is told, checked to be possible. */
#include <errno.h>
#include <net/if_arp.h>
#include <string.h>

#include "rules/rules.h"
#include "store/attach.h"
#include "base/err.h"
#include "object/host.h"
#include "object/install.h"
#include "kernel/netkit.h"
#include "base/text.h"
#include "kernel/tunnel.h"
#include "wire/underlay.h"

/* The host's end alone can have programs, and frames without Ethernet are none of a LAN. */
static int check_netkit(const struct link *link)
{
	const char *name = quoted(link->name);

	if (!link->primary)
		return fail(EINVAL, "%s is the container's end of a netkit pair: give the host's",
			    name);
	if (link->mode != NETKIT_L2)
		return fail(EOPNOTSUPP,
			    "%s is a netkit device in L3 mode, without Ethernet: make it with "
			    "mode l2",
			    name);
	return 0;
}

static int check_kind(const struct link *link)
{
	const char *name = quoted(link->name);

	if (link->flags & IFF_LOOPBACK)
		return fail(EINVAL, "%s is the loopback device", name);
	if (!strcmp(link->kind, "veth"))
		return 0;
	if (link_is_netkit(link))
		return check_netkit(link);
	if (strcmp(link->kind, "tun"))
		return fail(EOPNOTSUPP,
			    "%s is a %s device: an endpoint is a veth, a netkit or a tap", name,
			    link->kind[0] ? link->kind : "physical");
	if (link->type != ARPHRD_ETHER)
		return fail(EOPNOTSUPP, "%s is a tun device, without Ethernet: make it a tap",
			    name);
	return 0;
}

/* The kernel has not taken the device away since it became a port. */
static bool is_there(const struct tsw *t, __u32 ifindex)
{
	__u32 device;

	return !map_get(&t->maps, MAP_DEVICES, &ifindex, &device);
}

static int check_port(struct tsw *t, const struct link *link, const struct endpoint *ep)
{
	struct tsw_port port;
	struct tsw_tenant tenant;
	int err = map_get(&t->maps, MAP_PORTS, &link->ifindex, &port);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (endpoint_is_at(ep, &(struct tsw_fdb){TSW_PLACE_PORT, link->ifindex}))
		return 0;
	/* It is that of the place that it moves to, or of a command that was killed. */
	if (port.tenant == ep->key.tenant && mac_equal(&port.mac, &ep->mac))
		return 0;
	/* The entry of a device that is gone: another has its ifindex now. */
	if (!is_there(t, link->ifindex))
		return 0;
	if (map_get(&t->maps, MAP_TENANTS, &port.tenant, &tenant))
		tenant.name[0] = '\0';
	return fail(EEXIST, "device %s is already that%s in tenant %s", quoted(link->name),
		    endpoint_owner_text(t, port.tenant, &port.mac), quoted(tenant.name));
}

/*
 * bpf_redirect_peer() is possible, for a pair whose other end is in another namespace, and wanted:
 * it skips the XDP programs that the driver runs at that end.
 */
static bool is_peered(const struct link *link, const struct endpoint *ep)
{
	return link_is_pair(link) && link->netnsid && !(ep->options & TSW_ENDPOINT_XDP);
}

/* Whoever is there now. */
static int find_device(struct tsw *t, const char *dev, struct link *link)
{
	const char *owner;
	int err;

	if (!tunnel_is_of(t->config.tunnel, t->instance))
		return fail(ENODEV,
			    "the tunnel device of switch %s is not in this network namespace: "
			    "use tsw -n NAME, or mend the switch by its switch up",
			    quoted(t->instance));
	err = link_by_name(dev, link);
	if (err)
		return err;
	if (underlay_has(&t->config, link->ifindex))
		return fail(EINVAL, "%s is the switch's underlay", quoted(dev));
	owner = tunnel_instance(link);
	if (owner && !strcmp(owner, t->instance))
		return fail(EINVAL, "%s is the switch's own tunnel device", quoted(dev));
	if (!owner && link_instance(link))
		return fail(EINVAL, "%s is the gateway device of switch %s", quoted(dev),
			    quoted(link_instance(link)));
	err = check_kind(link);
	return err ?: attach_check_free(t, link);
}

int endpoint_check_device(struct tsw *t, const char *dev)
{
	struct link link;

	return find_device(t, dev, &link);
}

int endpoint_at_device(struct tsw *t, const char *dev, struct endpoint *ep)
{
	struct link link;
	int err = find_device(t, dev, &link);

	if (!err)
		err = check_port(t, &link, ep);
	if (err)
		return err;
	ep->placed = true;
	ep->moving = false;
	ep->at = (struct tsw_fdb){TSW_PLACE_PORT, link.ifindex};
	ep->peer = is_peered(&link, ep);
	ep->netkit = link_is_netkit(&link);
	return 0;
}

int endpoint_at_host(const struct tsw *t, const struct tsw_name *name, struct endpoint *ep)
{
	struct tsw_host host;
	__u32 id;
	int err = host_find(t, name, &id, &host);

	if (err)
		return err;
	ep->placed = true;
	ep->moving = false;
	ep->at = (struct tsw_fdb){TSW_PLACE_HOST, id};
	return 0;
}

int endpoint_moves(struct tsw *t, const struct tsw_endpoint_spec *spec, struct endpoint *ep)
{
	struct endpoint next = *ep;
	int err = spec->to_dev[0] ? endpoint_at_device(t, spec->to_dev, &next)
				  : endpoint_at_host(t, &spec->to_host, &next);

	if (err)
		return err;
	if (!memcmp(&next.at, &ep->at, sizeof(next.at)))
		return rule_moves_nowhere(ep->key.name.s,
					  spec->to_dev[0] ? spec->to_dev : spec->to_host.s);
	ep->moving = true;
	ep->moved = false;
	ep->to = next.at;
	ep->to_peer = next.peer;
	ep->to_netkit = next.netkit;
	return 0;
}

int endpoint_stay(struct tsw *t, struct endpoint *ep)
{
	const struct tsw_fdb *now = endpoint_now(ep);
	struct link link;

	if (!ep->placed)
		return fail(ENODEV, "where endpoint %s lives is not known: give dev or host",
			    quoted(ep->key.name.s));
	if (now->place == TSW_PLACE_HOST)
		return 0;
	if (link_by_index(now->id, &link) || !is_there(t, now->id))
		return fail(ENODEV, "the device of endpoint %s is gone: give dev or host",
			    quoted(ep->key.name.s));
	*(now == &ep->to ? &ep->to_peer : &ep->peer) = is_peered(&link, ep);
	*(now == &ep->to ? &ep->to_netkit : &ep->netkit) = link_is_netkit(&link);
	return 0;
}
