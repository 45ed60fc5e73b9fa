// SPDX-License-Identifier: GPL-2.0-only
/*
 * If the user named no pool, Docker before 27 asks until it gets one that overlaps neither a link
 * route of the host nor a resolver. If the tenant's net overlaps one, it would ask for ever.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "docker/docker.h"
#include "kernel/netlink.h"

struct search {
	const struct tsw_prefix *net;
	struct tsw_prefix found; /* len 0: none */
};

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *route = mnl_nlmsg_get_payload(message);
	struct tsw_prefix dst = {.len = 96U + route->rtm_dst_len};
	const struct attrs a = attrs_of(message, sizeof(*route));
	struct search *s = data;

	if (route->rtm_family != AF_INET || route->rtm_table != RT_TABLE_MAIN ||
	    route->rtm_scope != RT_SCOPE_LINK)
		return MNL_CB_OK;
	if (attr_addr(a.at[RTA_DST], &dst.addr) && prefix_overlap(s->net, &dst))
		s->found = dst;
	return MNL_CB_OK;
}

static int find_route(struct search *s)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_DUMP, sizeof(struct rtmsg));
	struct rtmsg *route = mnl_nlmsg_get_payload(request);
	int err;

	route->rtm_family = AF_INET;
	err = netlink_talk(request, read_route, s);
	return err ? fail(err, "cannot list the routes: %s", strerror(-err)) : 0;
}

/* Docker reads the second file if the first one leads to the host's own resolver. */
static void find_resolver(const char *path, struct search *s)
{
	char line[256], word[64];
	struct tsw_addr addr;
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " nameserver %63s", word) == 1 && !parse_ip(word, &addr) &&
		    prefix_has(s->net, &addr))
			s->found = (struct tsw_prefix){addr, 128};
	if (file)
		fclose(file);
}

int docker_check_overlap(const struct tsw_prefix *net)
{
	struct search s = {.net = net};
	int err = find_route(&s);

	if (!err && !s.found.len)
		find_resolver("/etc/resolv.conf", &s);
	if (!err && !s.found.len)
		find_resolver("/run/systemd/resolve/resolv.conf", &s);
	if (err || !s.found.len)
		return err;
	return fail(EEXIST, "Docker would refuse this pool, since the host has %s; use --subnet %s",
		    prefix_text(&s.found), prefix_text(net));
}
