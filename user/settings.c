// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "err.h"
#include "netns.h"
#include "parse.h"
#include "pins.h"
#include "settings.h"
#include "text.h"
#include "tunnel.h"

enum { MAX_ENDPOINTS = 65536, MAX_TENANTS = 16384 };

struct other {
	const char *own;
	__u32 ifindex;
};

/* Another switch in this namespace must have the device neither as underlay nor as port. */
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
	if (maps_open(&maps, dir))
		return 0;
	if (!map_get(&maps, MAP_CONFIG, &zero, &config) && config.underlay == other->ifindex)
		err = fail(EBUSY, "the device is already the underlay of switch %s",
			   quoted(instance));
	else if (!map_get(&maps, MAP_PORTS, &other->ifindex, &port))
		err = fail(EBUSY, "the device is an endpoint of switch %s", quoted(instance));
	maps_close(&maps);
	return err;
}

static int read_device(struct tsw *t, const char *name, struct link *dev)
{
	struct other other = {.own = t->instance};
	int err = link_by_name(name, dev);

	if (err)
		return err;
	if (dev->flags & IFF_LOOPBACK)
		return fail(EINVAL, "%s is the loopback device: no other host is behind it",
			    quoted(name));
	if (dev->type != ARPHRD_ETHER)
		return fail(EOPNOTSUPP, "%s is not an Ethernet device", quoted(name));
	if (tunnel_is_of(dev->ifindex, t->instance))
		return fail(EINVAL, "%s is the switch's own tunnel device", quoted(name));
	if (tunnel_instance(dev))
		return fail(EBUSY, "%s is the tunnel device of switch %s", quoted(name),
			    quoted(tunnel_instance(dev)));
	other.ifindex = dev->ifindex;
	err = tunnel_each(check_other, &other);
	return err ? err : attach_check_free(t, dev);
}

static int read_local(const struct words *w, const struct link *dev, struct tsw_addr *local)
{
	int err;

	if (!(w->given & W_LOCAL)) {
		err = link_first_ipv4(dev->ifindex, local);
		if (err != -ENOENT)
			return err;
		return fail(EADDRNOTAVAIL, "%s has no IPv4 address: give it one, or say local IP",
			    quoted(dev->name));
	}
	*local = w->local;
	if (!addr_is_v4(local))
		return fail(EOPNOTSUPP, "%s: this version's underlay is IPv4 only",
			    quoted(addr_text(local)));
	if (!link_has_address(local))
		return fail(EADDRNOTAVAIL, "%s is no address of this host",
			    quoted(addr_text(local)));
	return 0;
}

static int read_name(const struct tsw *t, const struct words *w, char *to)
{
	struct tsw_name name = w->host_name;
	char host[HOST_NAME_MAX + 1] = "";
	int err = 0;

	if (!(w->given & W_HOST_NAME)) {
		gethostname(host, sizeof(host) - 1);
		err = parse_name(strcmp(t->instance, "default") ? t->instance : host, &name);
		if (err)
			fail_more("; give the host's name with name HOST");
	}
	memcpy(to, name.s, TSW_NAME_LEN);
	return err;
}

static int read_attach(const struct words *w, struct tsw_config *c)
{
	bool tcx = attach_has_tcx();

	if (w->given & W_ATTACH && w->attach != ATTACH_AUTO)
		c->flags_asked |= TSW_ASKED_ATTACH;
	if (w->attach == ATTACH_TCX && !tcx)
		return fail(EOPNOTSUPP, "this kernel has no tcx: it came with Linux 6.6");
	c->attach = w->attach == ATTACH_CLSACT || !tcx ? TSW_ATTACH_CLSACT : TSW_ATTACH_TCX;
	return 0;
}

int settings_read(struct tsw *t, const struct words *w, struct settings *s)
{
	static const __u16 xdp[] = {[XDP_AUTO] = TSW_XDP_AUTO,
				    [XDP_NATIVE] = TSW_XDP_NATIVE,
				    [XDP_GENERIC] = TSW_XDP_GENERIC,
				    [XDP_OFF] = TSW_XDP_OFF};
	struct tsw_config *c = &s->config;
	int err;

	memset(s, 0, sizeof(*s));
	err = read_device(t, w->dev, &s->dev);
	if (!err)
		err = read_local(w, &s->dev, &c->local);
	if (!err)
		err = read_name(t, w, c->name);
	if (!err)
		err = read_attach(w, c);
	if (err)
		return err;
	err = netns_inode(&c->netns);
	if (err)
		return err;
	c->underlay = s->dev.ifindex;
	c->port = htons(w->given & W_PORT ? (__u16)w->port : TSW_VXLAN_PORT);
	c->xdp_asked = xdp[w->xdp];
	c->max_endpoints = w->given & W_MAX_ENDPOINTS ? w->max_endpoints : MAX_ENDPOINTS;
	c->max_tenants = w->given & W_MAX_TENANTS ? w->max_tenants : MAX_TENANTS;
	return 0;
}

int settings_compare(const struct tsw *t, const struct settings *s)
{
	const struct tsw_config *have = &t->config, *want = &s->config;
	const struct {
		const char *word;
		bool differs;
	} all[] = {
		{"dev", have->underlay != want->underlay},
		{"local", !addr_equal(&have->local, &want->local)},
		{"name", strcmp(have->name, want->name) != 0},
		{"port", have->port != want->port},
		{"xdp", have->xdp_asked != want->xdp_asked},
		{"attach", have->flags_asked != want->flags_asked || have->attach != want->attach},
		{"max-endpoints", have->max_endpoints != want->max_endpoints},
		{"max-tenants", have->max_tenants != want->max_tenants},
	};
	char list[128] = "";
	size_t i, used = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].differs)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", all[i].word);
	if (!used)
		return 0;
	return fail(EEXIST, "the switch %s is up with other settings (%s): take it down first",
		    quoted(t->instance), list);
}
