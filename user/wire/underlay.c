// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if_arp.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/address.h"
#include "kernel/announce.h"
#include "kernel/tunnel.h"
#include "kernel/wireguard.h"
#include "store/attach.h"
#include "store/config.h"
#include "store/pins.h"
#include "wire/underlay.h"

__u32 xdp_asked(const struct tsw_switch_spec *w)
{
	static const __u32 asked[] = {[TSW_ASK_XDP_AUTO] = TSW_XDP_AUTO,
				      [TSW_ASK_XDP_NATIVE] = TSW_XDP_NATIVE,
				      [TSW_ASK_XDP_GENERIC] = TSW_XDP_GENERIC,
				      [TSW_ASK_XDP_OFF] = TSW_XDP_OFF};

	return asked[w->xdp];
}

const char *xdp_word(__u32 xdp)
{
	switch (xdp) {
	case TSW_XDP_NATIVE:
		return "native";
	case TSW_XDP_GENERIC:
		return "generic";
	case TSW_XDP_AUTO:
		return "auto";
	}
	return "off";
}

#ifndef ARPHRD_IP6GRE
#define ARPHRD_IP6GRE 823 /* from the kernel; glibc lacks it */
#endif

enum { VLANS = 8 }; /* tags of one frame, at most */

/* Is it a tunnel device without a link header, by which the kernel sends bare IP packets? */
static bool is_bare(const struct link *dev)
{
	static const __u16 types[] = {ARPHRD_NONE,    ARPHRD_RAWIP, ARPHRD_TUNNEL,
				      ARPHRD_TUNNEL6, ARPHRD_IPGRE, ARPHRD_IP6GRE};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (dev->type == types[i])
			return true;
	return false;
}

/*
 * `auto` is native on a device with a driver of its own, and on a bond. On other software devices
 * it is off, because XDP on veth copies every frame, which costs more than it saves.
 */
int underlay_choose_xdp(const struct tsw_config *c, const struct link *dev, struct tsw_underlay *u)
{
	const bool driver = !dev->kind[0] || !strcmp(dev->kind, "bond");
	const __u32 asked = c->xdp_asked;

	if (is_bare(dev)) {
		if (asked == TSW_XDP_NATIVE || asked == TSW_XDP_GENERIC)
			return fail(EOPNOTSUPP,
				    "%s has no Ethernet header, so xdp is not available",
				    quoted(dev->name));
		u->xdp = TSW_XDP_OFF;
	} else if (c->flags & TSW_CFG_ENCRYPT) {
		u->xdp = TSW_XDP_OFF; /* it would only see encrypted packets */
	} else if (asked == TSW_XDP_AUTO) {
		u->xdp = driver ? TSW_XDP_NATIVE : TSW_XDP_OFF;
	} else {
		u->xdp = (__u16)asked;
	}
	return 0;
}

unsigned int underlay_count(const struct tsw_config *c)
{
	unsigned int n = 0;

	while (n < TSW_UNDERLAYS && c->underlay[n].ifindex)
		n++;
	return n;
}

unsigned int underlay_staying(const struct tsw_config *c)
{
	unsigned int n = underlay_count(c);

	while (n && c->underlay[n - 1].flags & TSW_UNDERLAY_LEAVING)
		n--;
	return n;
}

struct tsw_underlay *underlay_find(struct tsw_config *c, __u32 ifindex)
{
	unsigned int n = underlay_count(c), i;

	for (i = 0; i < n; i++)
		if (c->underlay[i].ifindex == ifindex)
			return &c->underlay[i];
	return NULL;
}

bool underlay_has(const struct tsw_config *c, __u32 ifindex)
{
	return underlay_find((struct tsw_config *)c, ifindex);
}

struct other {
	const char *own;
	__u32 ifindex;
};

/* Refuses a device that is underlay or port of another switch in this namespace. */
static int check_other(const char *instance, void *data)
{
	const struct other *other = data;
	struct maps maps;
	struct tsw_config config;
	struct tsw_port port;
	char dir[PINS_PATH];
	const __u32 zero = 0;
	int err = 0;

	if (!strcmp(instance, other->own))
		return 0;
	pins_dir(dir, instance);
	if (maps_open(&maps, dir, false))
		return 0;
	if (!map_get(&maps, MAP_CONFIG, &zero, &config) && underlay_has(&config, other->ifindex))
		err = fail(EBUSY, "the device is already the underlay of switch %s",
			   quoted(instance));
	else if (!map_get(&maps, MAP_PORTS, &other->ifindex, &port))
		err = fail(EBUSY, "the device is an endpoint of switch %s", quoted(instance));
	maps_close(&maps);
	return err;
}

static int check_device(struct tsw *t, const char *name, const struct link *dev)
{
	struct other other = {.own = t->instance, .ifindex = dev->ifindex};
	struct tsw_port port;
	int err;

	if (wg_instance(dev))
		return fail(EINVAL, "%s is the encryption device of switch %s", quoted(name),
			    quoted(wg_instance(dev)));
	if (dev->flags & IFF_LOOPBACK)
		return fail(EINVAL, "%s is the loopback device, which reaches no other host",
			    quoted(name));
	if (dev->type != ARPHRD_ETHER && !is_bare(dev))
		return fail(EOPNOTSUPP, "%s is neither an Ethernet device nor one for IP packets",
			    quoted(name));
	if (tunnel_is_of(dev->ifindex, t->instance))
		return fail(EINVAL, "%s is the switch's own tunnel device", quoted(name));
	if (tunnel_instance(dev))
		return fail(EBUSY, "%s is the tunnel device of switch %s", quoted(name),
			    quoted(tunnel_instance(dev)));
	if (link_instance(dev))
		return fail(EBUSY, "%s is the gateway device of switch %s", quoted(name),
			    quoted(link_instance(dev)));
	if (t->open && !map_get(&t->maps, MAP_DEVICES, &dev->ifindex, &other.ifindex) &&
	    !map_get(&t->maps, MAP_PORTS, &dev->ifindex, &port))
		return fail(EBUSY, "%s is an endpoint of this switch", quoted(name));
	err = tunnel_each(check_other, &other);
	if (err)
		fail_more(": %s", quoted(name));
	return err ?: attach_check_free(t, dev);
}

/*
 * Is TOP a VLAN device above another device of C, directly or by VLAN devices between? Stops at
 * another namespace, whose indexes mean nothing here.
 */
static bool is_above(struct tsw_config *c, const struct link *top)
{
	struct link dev = *top;
	int depth;

	for (depth = 0; depth < VLANS && !strcmp(dev.kind, "vlan") && !dev.netnsid; depth++) {
		if (dev.peer != top->ifindex && underlay_has(c, dev.peer))
			return true;
		if (link_by_index(dev.peer, &dev))
			return false;
	}
	return false;
}

void underlay_note_kinds(struct tsw_config *c)
{
	unsigned int n = underlay_count(c), i;
	struct link dev;

	c->flags &= ~(TSW_CFG_TAGGED | TSW_CFG_BARE);
	for (i = 0; i < n; i++) {
		c->underlay[i].flags &= (__u16) ~(TSW_UNDERLAY_ABOVE | TSW_UNDERLAY_BARE);
		if (link_by_index(c->underlay[i].ifindex, &dev))
			continue;
		if (!strcmp(dev.kind, "vlan"))
			c->flags |= TSW_CFG_TAGGED;
		if (is_bare(&dev)) {
			c->flags |= TSW_CFG_BARE;
			c->underlay[i].flags |= TSW_UNDERLAY_BARE;
		}
		if (is_above(c, &dev))
			c->underlay[i].flags |= TSW_UNDERLAY_ABOVE;
	}
}

int underlay_read_devs(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *c)
{
	struct link dev;
	unsigned int i;
	int err;

	memset(c->underlay, 0, sizeof(c->underlay));
	for (i = 0; i < w->dev.n; i++) {
		err = link_by_name(w->dev.at[i], &dev);
		if (!err && underlay_has(c, dev.ifindex)) /* by an alternative name */
			err = fail(EINVAL, "device %s is given twice", quoted(w->dev.at[i]));
		err = err ?: check_device(t, w->dev.at[i], &dev);
		err = err ?: underlay_choose_xdp(c, &dev, &c->underlay[i]);
		if (err)
			return err;
		c->underlay[i].ifindex = dev.ifindex;
	}
	underlay_note_kinds(c);
	return 0;
}

int underlay_read_locals(const struct tsw_switch_spec *w, struct tsw_config *c)
{
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&w->local.of[family]))
			continue;
		if (!address_is_local(&w->local.of[family]))
			return fail(EADDRNOTAVAIL, "%s is not an address of this host",
				    quoted(addr_text(&w->local.of[family])));
		c->local[family] = w->local.of[family];
	}
	return 0;
}

static int first_local(const struct tsw_config *c, enum tsw_family family, struct tsw_addr *first)
{
	unsigned int n = underlay_count(c), i;
	int err = -ENOENT;

	for (i = 0; i < n && err == -ENOENT; i++)
		err = address_first(c->underlay[i].ifindex, family, first);
	return err;
}

int underlay_follow_locals(struct tsw_config *c)
{
	struct tsw_addr first;
	int family, err = 0;

	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		if (addr_is_none(&c->local[family]) || address_is_valid(&c->local[family]))
			continue;
		err = first_local(c, family, &first);
		if (!err)
			c->local[family] = first;
		else if (err == -ENOENT)
			err = 0;
	}
	return err;
}

void underlay_announce(const struct tsw_config *c)
{
	unsigned int n = underlay_count(c), i;
	struct tsw_addr first;
	struct link dev;
	int family;

	for (i = 0; i < n; i++)
		for (family = 0; family < TSW_FAMILIES; family++)
			if (!address_first(c->underlay[i].ifindex, family, &first) &&
			    addr_equal(&first, &c->local[family]) &&
			    !link_by_index(c->underlay[i].ifindex, &dev) &&
			    dev.type == ARPHRD_ETHER)
				announce(dev.ifindex, &dev.mac, &first);
}

int underlay_first_locals(struct tsw_config *c)
{
	struct link dev;
	int family, err, found = 0;

	for (family = 0; family < TSW_FAMILIES; family++) {
		err = first_local(c, family, &c->local[family]);
		if (err && err != -ENOENT)
			return err;
		found += !err;
	}
	if (found)
		return 0;
	if (underlay_count(c) > 1 || link_by_index(c->underlay[0].ifindex, &dev))
		return fail(EADDRNOTAVAIL, "none of the devices has a global IPv4 or IPv6 address: "
					   "add one, or give local IP");
	return fail(EADDRNOTAVAIL,
		    "%s has no global IPv4 or IPv6 address: add one, or give local IP",
		    quoted(dev.name));
}

void underlay_note_qdiscs(struct tsw *t)
{
	unsigned int n = underlay_staying(&t->config), i;

	for (i = 0; i < n; i++)
		if (attach_needs_qdisc(t, t->config.underlay[i].ifindex))
			t->config.underlay[i].flags |= TSW_UNDERLAY_QDISC;
}

int underlay_attach(struct tsw *t, struct tsw_underlay *u)
{
	struct link dev;
	int err = link_by_index(u->ifindex, &dev);

	if (err)
		return err == -ENODEV ? 0 : err;
	err = attach_qdisc(t, u->ifindex);
	err = err ?: attach_tc(t, PROG_FROM_WIRE, u->ifindex);
	if (err)
		return err;
	/* Forwarding works without it, so an error is only logged; `switch check` reports it. */
	err = attach_tc(t, PROG_TO_WIRE, u->ifindex);
	if (err && t->config.flags & TSW_CFG_ENCRYPT)
		return err; /* this program keeps clear frames from leaving */
	if (err)
		note(&t->log,
		     "%s; tunnel frames that users of this host forge there are not dropped",
		     failure()->text);
	err = attach_xdp(t, u->ifindex, u->xdp);
	if (err && t->config.xdp_asked == TSW_XDP_AUTO) {
		detail(&t->log, "%s", failure()->text);
		u->xdp = TSW_XDP_OFF;
		err = 0;
	}
	return err;
}

int underlay_detach(struct tsw *t, const struct tsw_underlay *u)
{
	int err = attach_xdp(t, u->ifindex, TSW_XDP_OFF);

	err = err ?: detach_tc(t, PROG_FROM_WIRE, u->ifindex);
	err = err ?: detach_tc(t, PROG_TO_WIRE, u->ifindex);
	if (!err && u->flags & TSW_UNDERLAY_QDISC)
		err = link_drop_clsact(u->ifindex);
	return err;
}

bool underlay_is_stale(struct tsw *t, const struct tsw_underlay *u)
{
	return attach_is_stale(t, PROG_FROM_WIRE, u->ifindex);
}

/* A device that got the index of one that is gone may be anyone's: left alone. */
static bool is_strange(struct tsw *t, const struct tsw_underlay *u, bool named)
{
	return !named && underlay_is_stale(t, u);
}

int underlay_mend(struct tsw *t, bool named)
{
	struct tsw_underlay *u = t->config.underlay;
	unsigned int n = underlay_count(&t->config), staying = underlay_staying(&t->config), i;
	int err;

	underlay_note_kinds(&t->config);
	err = config_put(t);

	for (i = 0; i < staying && !err; i++)
		if (!is_strange(t, &u[i], named))
			err = underlay_attach(t, &u[i]);
	for (; i < n && !err; i++)
		err = underlay_detach(t, &u[i]);
	if (err)
		return err;
	memset(&u[staying], 0, (n - staying) * sizeof(*u));
	underlay_note_kinds(&t->config);
	return config_put(t);
}

__u32 mtu_inside(const struct tsw *t, __u32 mtu)
{
	if (!(t->config.flags & TSW_CFG_ENCRYPT))
		return mtu;
	return mtu > TSW_CRYPT_OVERHEAD ? mtu - TSW_CRYPT_OVERHEAD : 0;
}

/*
 * Indexes mean nothing in another namespace. The tunnel device shows whether this is the switch's.
 */
__u32 underlay_least_mtu(const struct tsw *t)
{
	unsigned int n = underlay_staying(&t->config), i;
	struct link dev;
	__u32 least = 0;

	if (!tunnel_is_of(t->config.tunnel, t->instance))
		return 0;
	for (i = 0; i < n; i++)
		if (!link_by_index(t->config.underlay[i].ifindex, &dev) &&
		    (!least || dev.mtu < least))
			least = dev.mtu;
	return least;
}

__u32 underlay_mtu(const struct tsw *t)
{
	return mtu_inside(t, underlay_least_mtu(t));
}
