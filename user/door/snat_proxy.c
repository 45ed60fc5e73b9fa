// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/snat_proxy.h"
#include "kernel/announce.h"
#include "kernel/proxy.h"
#include "kernel/route.h"
#include "kernel/system.h"

/* An address is on a network if no router leads to it. A blackhole is on none. */
int snat_proxy_device(const struct tsw_addr *addr, struct link *link)
{
	static const struct tsw_addr any6;
	const struct tsw_addr any4 = addr_from_v4(0);
	struct route route;

	if (route_ask(addr_is_v4(addr) ? &any4 : &any6, addr, &route) ||
	    !addr_equal(&route.via, addr) || link_by_index(route.ifindex, link) ||
	    link->type != ARPHRD_ETHER || link->flags & IFF_LOOPBACK || link_instance(link))
		return -ENOENT;
	return 0;
}

void snat_proxy_announce(const struct tsw *t, const struct tsw_addr *addr, const struct link *link)
{
	int err = announce(link->ifindex, &link->mac, addr);

	if (err)
		detail(&t->log, "cannot announce %s on %s: %s", addr_text(addr), link->name,
		       strerror(-err));
}

/* ---- following the host's routes --------------------------------------------------------- */

/* The device of each address, and for IPv6 the proxies on these: wanted and existing ones. */
struct proxied {
	struct rows snats;
	__u32 *ifindex; /* of each row */
	struct proxy *wanted, *there;
	size_t n_wanted, n_there;
};

static void proxied_free(struct proxied *s)
{
	rows_free(&s->snats);
	free(s->ifindex);
	free(s->wanted);
	free(s->there);
}

#define cleanup_proxied __attribute__((cleanup(proxied_free)))

static int read_proxied(const struct tsw *t, struct proxied *s)
{
	struct link link;
	size_t i;
	int err = map_rows(&t->maps, MAP_SNATS, &s->snats);

	if (!err && system_has_ipv6())
		err = proxies_list(&s->there, &s->n_there);
	if (err)
		return err;
	s->ifindex = calloc(s->snats.n + 1, sizeof(*s->ifindex));
	s->wanted = calloc(s->snats.n + 1, sizeof(*s->wanted));
	if (!s->ifindex || !s->wanted)
		return fail_memory();
	for (i = 0; i < s->snats.n; i++) {
		const struct tsw_addr *addr = row_key(&s->snats, i);

		s->ifindex[i] = snat_proxy_device(addr, &link) ? 0 : link.ifindex;
		if (s->ifindex[i] && !addr_is_v4(addr))
			s->wanted[s->n_wanted++] = (struct proxy){s->ifindex[i], *addr};
	}
	return 0;
}

static bool has(const struct proxy *all, size_t n, const struct proxy *one)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (all[i].ifindex == one->ifindex && addr_equal(&all[i].addr, &one->addr))
			return true;
	return false;
}

static int mend_devices(struct tsw *t, const struct proxied *s)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->snats.n; i++) {
		struct tsw_snat snat = *(const struct tsw_snat *)row_value(&s->snats, i);

		if (snat.ifindex == s->ifindex[i])
			continue;
		snat.ifindex = s->ifindex[i];
		err = map_put(&t->maps, MAP_SNATS, row_key(&s->snats, i), &snat);
	}
	return err;
}

static int mend_groups(const struct proxied *s)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->n_there; i++)
		if (!has(s->wanted, s->n_wanted, &s->there[i]))
			err = proxy_del(&s->there[i]);
	for (i = 0; !err && i < s->n_wanted; i++)
		if (!has(s->there, s->n_there, &s->wanted[i]))
			err = proxy_add(&s->wanted[i]);
	return err ? fail(err, "cannot join the groups in which neighbours ask for snat: %s",
			  strerror(-err))
		   : 0;
}

int snat_proxy_mend(struct tsw *t)
{
	cleanup_proxied struct proxied s = {};
	int err = read_proxied(t, &s);

	err = err ?: mend_devices(t, &s);
	return err ?: mend_groups(&s);
}

int snat_proxy_close(void)
{
	struct proxy *all = NULL;
	size_t n = 0, i;
	int err = system_has_ipv6() ? proxies_list(&all, &n) : 0;

	for (i = 0; !err && i < n; i++)
		err = proxy_del(&all[i]);
	free(all);
	return err;
}

static void check_devices(const struct proxied *s, json_t *problems)
{
	size_t i;

	for (i = 0; i < s->snats.n; i++) {
		const struct tsw_snat *snat = row_value(&s->snats, i);

		if (snat->ifindex != s->ifindex[i])
			problem(problems, "snat_device", addr_text(row_key(&s->snats, i)),
				"the host's routes lead to it by another device, on which this "
				"host does not answer for it");
	}
}

int snat_proxy_check(const struct tsw *t, json_t *problems)
{
	cleanup_proxied struct proxied s = {};
	size_t i;
	int err = read_proxied(t, &s);

	if (err)
		return err;
	check_devices(&s, problems);
	for (i = 0; i < s.n_wanted; i++)
		if (!has(s.there, s.n_there, &s.wanted[i]))
			problem(problems, "snat_group", addr_text(&s.wanted[i].addr),
				"its device is not in the group in which neighbours ask for it");
	for (i = 0; i < s.n_there; i++)
		if (!has(s.wanted, s.n_wanted, &s.there[i]))
			problem(problems, "snat_group", addr_text(&s.there[i].addr),
				"its proxy does not belong there, see: ip -6 neigh show proxy");
	return 0;
}
