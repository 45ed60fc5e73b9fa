// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "kernel/conntrack.h"
#include "kernel/conntrack_attrs.h"
#include "kernel/conntrack_copy.h"
#include "kernel/netlink.h"

enum { MIN_ROOM = 1 << 16 };

/* ---- reading ----------------------------------------------------------------------------- */

static int keep(const struct nlmsghdr *message, void *data)
{
	const size_t len = MNL_ALIGN(message->nlmsg_len);
	struct connections *all = data;
	char *grown;

	if (all->used + len > all->room) {
		all->room = 2 * all->room + len + MIN_ROOM;
		grown = realloc(all->messages, all->room);
		if (!grown) {
			all->err = -ENOMEM;
			return MNL_CB_STOP;
		}
		all->messages = grown;
	}
	memcpy(all->messages + all->used, message, message->nlmsg_len);
	all->used += len;
	return MNL_CB_OK;
}

int conntrack_take(struct connections *all)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = conntrack_begin_marked(buffer, IPCTNL_MSG_CT_GET, NLM_F_DUMP,
							  TSW_MARK_TENANT, CONNTRACK_ALL);
	int err;

	*all = (struct connections){};
	err = netlink_talk_on(NETLINK_NETFILTER, request, keep, all);
	err = err ?: all->err;
	return err ? fail(err, "cannot list tenants' connections: %s", strerror(-err)) : 0;
}

void connections_free(struct connections *all)
{
	free(all->messages);
	*all = (struct connections){};
}

/* ---- writing ----------------------------------------------------------------------------- */

/* The parts of the tuples of both directions. */
struct tuples {
	struct attrs ip[2], proto[2]; /* original direction, reply direction */
	bool v4;
};

enum { ORIG, BACK };

static bool read_tuples(const struct attrs *all, struct tuples *t)
{
	const int which[] = {CTA_TUPLE_ORIG, CTA_TUPLE_REPLY};
	int i;

	for (i = ORIG; i <= BACK; i++) {
		const struct attrs parts = attrs_nested(all->at[which[i]]);

		t->ip[i] = attrs_nested(parts.at[CTA_TUPLE_IP]);
		t->proto[i] = attrs_nested(parts.at[CTA_TUPLE_PROTO]);
		t->v4 = t->ip[i].at[CTA_IP_V4_SRC];
		if (!t->proto[i].at[CTA_PROTO_NUM] ||
		    !t->ip[i].at[t->v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC] ||
		    !t->ip[i].at[t->v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST])
			return false;
	}
	return true;
}

static const struct nlattr *address(const struct tuples *t, int direction, bool src)
{
	if (t->v4)
		return t->ip[direction].at[src ? CTA_IP_V4_SRC : CTA_IP_V4_DST];
	return t->ip[direction].at[src ? CTA_IP_V6_SRC : CTA_IP_V6_DST];
}

static void copy(struct nlmsghdr *request, int as, const struct nlattr *attr)
{
	if (attr)
		mnl_attr_put(request, (__u16)as, mnl_attr_get_payload_len(attr),
			     mnl_attr_get_payload(attr));
}

static bool same(const struct nlattr *a, const struct nlattr *b)
{
	return !a == !b && (!a || (mnl_attr_get_payload_len(a) == mnl_attr_get_payload_len(b) &&
				   !memcmp(mnl_attr_get_payload(a), mnl_attr_get_payload(b),
					   mnl_attr_get_payload_len(a))));
}

/* The kernel wants the reply direction without translation, and translates it itself. */
static void put_answers(struct nlmsghdr *request, const struct tuples *t)
{
	struct nlattr *all = mnl_attr_nest_start(request, CTA_TUPLE_REPLY);
	struct nlattr *part = mnl_attr_nest_start(request, CTA_TUPLE_IP);
	const struct attrs *from = &t->proto[ORIG], *back = &t->proto[BACK];

	copy(request, t->v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, address(t, ORIG, false));
	copy(request, t->v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, address(t, ORIG, true));
	mnl_attr_nest_end(request, part);
	part = mnl_attr_nest_start(request, CTA_TUPLE_PROTO);
	copy(request, CTA_PROTO_NUM, from->at[CTA_PROTO_NUM]);
	copy(request, CTA_PROTO_SRC_PORT, from->at[CTA_PROTO_DST_PORT]);
	copy(request, CTA_PROTO_DST_PORT, from->at[CTA_PROTO_SRC_PORT]);
	copy(request, CTA_PROTO_ICMP_ID, from->at[CTA_PROTO_ICMP_ID]);
	copy(request, CTA_PROTO_ICMP_TYPE, back->at[CTA_PROTO_ICMP_TYPE]);
	copy(request, CTA_PROTO_ICMP_CODE, back->at[CTA_PROTO_ICMP_CODE]);
	copy(request, CTA_PROTO_ICMPV6_ID, from->at[CTA_PROTO_ICMPV6_ID]);
	copy(request, CTA_PROTO_ICMPV6_TYPE, back->at[CTA_PROTO_ICMPV6_TYPE]);
	copy(request, CTA_PROTO_ICMPV6_CODE, back->at[CTA_PROTO_ICMPV6_CODE]);
	mnl_attr_nest_end(request, part);
	mnl_attr_nest_end(request, all);
}

/* A range of one address and one port or identifier. */
static void put_range(struct nlmsghdr *request, int what, const struct tuples *t,
		      const struct nlattr *addr, const struct nlattr *port)
{
	struct nlattr *nat = mnl_attr_nest_start(request, (__u16)what), *part;

	copy(request, t->v4 ? CTA_NAT_V4_MINIP : CTA_NAT_V6_MINIP, addr);
	copy(request, t->v4 ? CTA_NAT_V4_MAXIP : CTA_NAT_V6_MAXIP, addr);
	if (port) {
		part = mnl_attr_nest_start(request, CTA_NAT_PROTO);
		copy(request, CTA_PROTONAT_PORT_MIN, port);
		copy(request, CTA_PROTONAT_PORT_MAX, port);
		mnl_attr_nest_end(request, part);
	}
	mnl_attr_nest_end(request, nat);
}

static void put_translation(struct nlmsghdr *request, const struct tuples *t)
{
	const struct attrs *from = &t->proto[ORIG], *back = &t->proto[BACK];
	const int id = t->v4 ? CTA_PROTO_ICMP_ID : CTA_PROTO_ICMPV6_ID;
	const struct nlattr *port = back->at[CTA_PROTO_DST_PORT];

	if (!same(address(t, ORIG, true), address(t, BACK, false)) ||
	    !same(from->at[CTA_PROTO_SRC_PORT], port) || !same(from->at[id], back->at[id]))
		put_range(request, CTA_NAT_SRC, t, address(t, BACK, false),
			  port ? port : back->at[id]);
	port = back->at[CTA_PROTO_SRC_PORT];
	if (!same(address(t, ORIG, false), address(t, BACK, true)) ||
	    !same(from->at[CTA_PROTO_DST_PORT], port))
		put_range(request, CTA_NAT_DST, t, address(t, BACK, true), port);
}

/* Packets of leases bypass conntrack, which then does not know the window and must be liberal. */
static void put_tcp(struct nlmsghdr *request, const struct attrs *info)
{
	const struct nf_ct_tcp_flags flags = {IP_CT_TCP_FLAG_BE_LIBERAL, IP_CT_TCP_FLAG_BE_LIBERAL};
	const struct attrs was = attrs_nested(info->at[CTA_PROTOINFO_TCP]);
	struct nlattr *all = mnl_attr_nest_start(request, CTA_PROTOINFO);
	struct nlattr *tcp = mnl_attr_nest_start(request, CTA_PROTOINFO_TCP);

	copy(request, CTA_PROTOINFO_TCP_STATE, was.at[CTA_PROTOINFO_TCP_STATE]);
	copy(request, CTA_PROTOINFO_TCP_WSCALE_ORIGINAL, was.at[CTA_PROTOINFO_TCP_WSCALE_ORIGINAL]);
	copy(request, CTA_PROTOINFO_TCP_WSCALE_REPLY, was.at[CTA_PROTOINFO_TCP_WSCALE_REPLY]);
	mnl_attr_put(request, CTA_PROTOINFO_TCP_FLAGS_ORIGINAL, sizeof(flags), &flags);
	mnl_attr_put(request, CTA_PROTOINFO_TCP_FLAGS_REPLY, sizeof(flags), &flags);
	mnl_attr_nest_end(request, tcp);
	mnl_attr_nest_end(request, all);
}

static void copy_nested(struct nlmsghdr *request, int as, const struct nlattr *attr)
{
	copy(request, as | NLA_F_NESTED, attr);
}

static int give(const struct nlmsghdr *message)
{
	const struct attrs all = conntrack_attrs(message);
	const struct attrs info = attrs_nested(all.at[CTA_PROTOINFO]);
	const struct nlattr *status = all.at[CTA_STATUS];
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct tuples t;
	__u32 bits = IPS_CONFIRMED;

	if (!read_tuples(&all, &t) || !all.at[CTA_TIMEOUT] || !status)
		return 0;
	bits |= ntohl(mnl_attr_get_u32(status)) & (IPS_SEEN_REPLY | IPS_ASSURED);
	request = conntrack_begin(buffer, IPCTNL_MSG_CT_NEW, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
				  t.v4 ? AF_INET : AF_INET6);
	copy_nested(request, CTA_TUPLE_ORIG, all.at[CTA_TUPLE_ORIG]);
	put_answers(request, &t);
	put_translation(request, &t);
	mnl_attr_put_u32(request, CTA_STATUS, htonl(bits));
	copy(request, CTA_MARK, all.at[CTA_MARK]);
	copy(request, CTA_TIMEOUT, all.at[CTA_TIMEOUT]);
	if (info.at[CTA_PROTOINFO_TCP])
		put_tcp(request, &info);
	else
		copy_nested(request, CTA_PROTOINFO, all.at[CTA_PROTOINFO]);
	return netlink_talk_on(NETLINK_NETFILTER, request, NULL, NULL);
}

/* An entry that the kernel refuses is left out; the others are copied nevertheless. */
int conntrack_give(const struct connections *all, size_t *given)
{
	size_t at = 0;

	*given = 0;
	while (at < all->used) {
		const struct nlmsghdr *message = (const void *)(all->messages + at);
		const int err = give(message);

		if (err == -ENOMEM || err == -EPERM)
			return fail(err, "cannot add a tenant's connection: %s", strerror(-err));
		*given += !err;
		at += MNL_ALIGN(message->nlmsg_len);
	}
	return 0;
}
