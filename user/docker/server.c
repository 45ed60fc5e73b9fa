// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way to a tenant's DNS server. The first endpoint of a container claims it by a second name of
 * its device on the host. That name is unique, and goes with the device.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "kernel/link.h"
#include "kernel/netlink.h"
#include "plug/json.h"
#include "plug/names.h"

enum { SANDBOX_LETTERS = 11 };

static int add_name(const char *dev, const char *name)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_NEWLINKPROP, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
			      sizeof(struct ifinfomsg));
	struct nlattr *list;

	mnl_attr_put_strz(request, IFLA_IFNAME, dev);
	list = mnl_attr_nest_start(request, IFLA_PROP_LIST);
	mnl_attr_put_strz(request, IFLA_ALT_IFNAME, name);
	mnl_attr_nest_end(request, list);
	return netlink_talk(request, NULL, NULL);
}

/* Sets *FIRST: no other endpoint in SANDBOX has a server of that family. */
static int claim(const struct docker_context *p, const char *sandbox, enum tsw_family family,
		 bool *first)
{
	char letters[SANDBOX_LETTERS + 1], name[IFNAMSIZ];
	struct link own, owner;
	int err = 0;

	name_letters(name_mix(name_mix(NAME_SEED, "sandbox"), sandbox), SANDBOX_LETTERS, letters);
	snprintf(name, sizeof(name), "tsd%d%s", family == TSW_IPV4 ? 4 : 6, letters);
	*first = true;
	if (*sandbox)
		err = add_name(p->names.dev, name);
	if (err == -EEXIST) {
		*first = !link_by_name(name, &owner) && !link_by_name(p->names.dev, &own) &&
			 owner.ifindex == own.ifindex;
		return 0;
	}
	return err ? fail(err, "cannot give device %s the name %s: %s", quoted(p->names.dev), name,
			  strerror(-err))
		   : 0;
}

int docker_server_routes(const struct docker_context *p, const json_t *body, json_t **routes)
{
	enum { ON_LINK = 1 }; /* libnetwork's types.CONNECTED */
	struct tsw_prefix to = {.len = 128};
	bool sent[TSW_FAMILIES] = {}, gateway, first;
	const char *sandbox;
	unsigned int i;
	int err = plug_text(body, "SandboxKey", &sandbox);

	*routes = json_array();
	for (i = 0; !err && i < p->dress.n_ip; i++) {
		const struct tsw_prefix *at = &p->dress.ip[i].at;
		const enum tsw_family family = addr_family(&at->addr);

		to.addr = tenancy_server(&p->tenancy, at, &gateway);
		if (gateway || addr_is_none(&to.addr) || sent[family])
			continue;
		sent[family] = true;
		err = claim(p, sandbox ?: "", family, &first);
		if (!err && first)
			json_array_append_new(*routes,
					      json_pack("{s:s, s:i}", "Destination",
							prefix_text(&to), "RouteType", ON_LINK));
	}
	return err;
}
