// SPDX-License-Identifier: GPL-2.0-only
/* Finds the device or the host where an endpoint is to live, and checks that it can live there. */
#include <errno.h>
#include <net/if_arp.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/netkit.h"
#include "kernel/tunnel.h"
#include "object/host.h"
#include "object/install.h"
#include "rules/rules.h"
#include "store/attach.h"
#include "wire/underlay.h"

/* Only the host's end of a pair can have programs, and a LAN needs Ethernet headers. */
static int check_netkit(const struct link *link)
{
	const char *name = quoted(link->name);

	if (!link->primary)
		return fail(EINVAL,
			    "%s is the container's end of a netkit pair: give the host's end",
			    name);
	if (link->mode != NETKIT_L2)
		return fail(EOPNOTSUPP,
			    "%s is a netkit device in L3 mode, without Ethernet: create it with "
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
			    "%s is a %s device: an endpoint needs a veth, a netkit or a tap", name,
			    link->kind[0] ? link->kind : "physical");
	if (link->type != ARPHRD_ETHER)
		return fail(EOPNOTSUPP, "%s is a tun device, without Ethernet: create a tap", name);
	return 0;
}

/* Tells whether the device still exists: the kernel removes a deleted one from MAP_DEVICES. */
static bool device_exists(const struct tsw *t, __u32 ifindex)
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
	/* The port belongs to EP already: EP moves there, or a command was killed. */
	if (port.tenant == ep->key.tenant && mac_equal(&port.mac, &ep->mac))
		return 0;
	/* The entry is of a deleted device, whose index the new device has. */
	if (!device_exists(t, link->ifindex))
		return 0;
	if (map_get(&t->maps, MAP_TENANTS, &port.tenant, &tenant))
		tenant.name[0] = '\0';
	return fail(EEXIST, "device %s is already the device%s in tenant %s", quoted(link->name),
		    endpoint_owner_text(t, port.tenant, &port.mac), quoted(tenant.name));
}

/* Tells whether bpf_redirect_peer() is possible: a pair whose other end is in another namespace. */
static bool is_peered(const struct link *link)
{
	return link_is_pair(link) && link->netnsid;
}

/* Finds a device that an endpoint can have; another endpoint may have it at present. */
static int find_device(struct tsw *t, const char *dev, struct link *link)
{
	const char *owner;
	int err;

	if (!tunnel_is_of(t->config.tunnel, t->instance))
		return fail(ENODEV,
			    "the tunnel device of switch %s is not in this network namespace: "
			    "use tsw -n NAME, or repair the switch with switch up",
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

	err = err ?: check_port(t, &link, ep);
	if (err)
		return err;
	ep->placed = true;
	ep->moving = false;
	ep->at = (struct tsw_fdb){TSW_PLACE_PORT, link.ifindex};
	ep->peer = is_peered(&link);
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
		return fail(ENODEV, "it is not known where endpoint %s lives: give dev or host",
			    quoted(ep->key.name.s));
	if (now->place == TSW_PLACE_HOST)
		return 0;
	if (link_by_index(now->id, &link) || !device_exists(t, now->id))
		return fail(ENODEV, "the device of endpoint %s is gone: give dev or host",
			    quoted(ep->key.name.s));
	*(now == &ep->to ? &ep->to_peer : &ep->peer) = is_peered(&link);
	*(now == &ep->to ? &ep->to_netkit : &ep->netkit) = link_is_netkit(&link);
	return 0;
}
