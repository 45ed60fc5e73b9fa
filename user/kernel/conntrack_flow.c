// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
#include "kernel/conntrack_attrs.h"
#include "kernel/conntrack_flow.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"

enum { EVENTS_BUFFER = 8 << 20 };

/* ---- reading ------------------------------------------------------------------------ */

/* One direction of a flow. */
struct tuple {
	struct tsw_addr src, dst;
	__be16 sport, dport;
	__u8 proto;
};

static bool read_tuple(const struct attrs *parts, struct tuple *t)
{
	const struct attrs ip = attrs_nested(parts->at[CTA_TUPLE_IP]);
	const struct attrs proto = attrs_nested(parts->at[CTA_TUPLE_PROTO]);

	*t = (struct tuple){};
	if (!proto.at[CTA_PROTO_NUM] || !proto.at[CTA_PROTO_SRC_PORT] ||
	    !proto.at[CTA_PROTO_DST_PORT] ||
	    !attr_addr(ip.at[CTA_IP_V4_SRC] ?: ip.at[CTA_IP_V6_SRC], &t->src) ||
	    !attr_addr(ip.at[CTA_IP_V4_DST] ?: ip.at[CTA_IP_V6_DST], &t->dst))
		return false;
	t->proto = attr_u8(proto.at[CTA_PROTO_NUM]);
	t->sport = attr_u16(proto.at[CTA_PROTO_SRC_PORT]);
	t->dport = attr_u16(proto.at[CTA_PROTO_DST_PORT]);
	return t->proto == IPPROTO_TCP || t->proto == IPPROTO_UDP;
}

/* An event without the state is of an assured flow, which is established. */
static __u8 read_state(const struct attrs *all, __u8 proto)
{
	const struct attrs info = attrs_nested(all->at[CTA_PROTOINFO]);
	const struct attrs tcp = attrs_nested(info.at[CTA_PROTOINFO_TCP]);

	if (proto != IPPROTO_TCP)
		return 0;
	return tcp.at[CTA_PROTOINFO_TCP_STATE] ? mnl_attr_get_u8(tcp.at[CTA_PROTOINFO_TCP_STATE])
					       : TCP_CONNTRACK_ESTABLISHED;
}

bool conntrack_read(const struct nlmsghdr *message, struct conntrack_entry *entry)
{
	const struct attrs all = conntrack_attrs(message);
	const struct attrs orig = attrs_nested(all.at[CTA_TUPLE_ORIG]);
	const struct attrs reply = attrs_nested(all.at[CTA_TUPLE_REPLY]);
	const struct nlattr *zone = orig.at[CTA_TUPLE_ZONE];
	const __u32 mark = ntohl(attr_u32(all.at[CTA_MARK])), index = mark & TSW_MARK_INDEX;
	struct tuple from, back;

	if ((mark & TSW_MARK_CLASS) != TSW_CT_OUT || !zone ||
	    ntohs(mnl_attr_get_u16(zone)) != index || !read_tuple(&orig, &from) ||
	    !read_tuple(&reply, &back) || !addr_equal(&from.dst, &back.src) ||
	    from.dport != back.sport || all.at[CTA_HELP])
		return false;
	*entry = (struct conntrack_entry){
		.flow = {.src = from.src,
			 .dst = from.dst,
			 .nat = back.dst,
			 .sport = from.sport,
			 .dport = from.dport,
			 .nat_port = back.dport,
			 .proto = from.proto,
			 .state = read_state(&all, from.proto),
			 .expiry = ntohl(attr_u32(all.at[CTA_TIMEOUT]))},
		.index = index,
		.assured = ntohl(attr_u32(all.at[CTA_STATUS])) & IPS_ASSURED,
		.gone = NFNL_MSG_TYPE(message->nlmsg_type) == IPCTNL_MSG_CT_DELETE,
	};
	return true;
}

/* The socket gets only flows with a tenant's mark, because hosts have other connections, too. */
static int attach_filter(struct mnl_socket *socket)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_IMM, sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg)),
		BPF_STMT(BPF_LDX | BPF_IMM, CTA_MARK),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (__u32)(SKF_AD_OFF + SKF_AD_NLATTR)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_IND, sizeof(struct nlattr)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, TSW_MARK_CLASS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TSW_CT_OUT, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, ~0U),
	};
	const struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	return setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_ATTACH_FILTER, &filter,
			  sizeof(filter));
}

struct mnl_socket *conntrack_listen(void)
{
	const int groups[] = {NFNLGRP_CONNTRACK_UPDATE, NFNLGRP_CONNTRACK_DESTROY};
	struct mnl_socket *socket = netlink_open(NETLINK_NETFILTER, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const int room = EVENTS_BUFFER;
	size_t i;
	int err;

	if (!socket)
		return NULL;
	err = attach_filter(socket) || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0;
	setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	for (i = 0; !err && i < sizeof(groups) / sizeof(groups[0]); i++)
		err = mnl_socket_setsockopt(socket, NETLINK_ADD_MEMBERSHIP, (void *)&groups[i],
					    sizeof(groups[i]));
	if (!err)
		return socket;
	err = errno;
	mnl_socket_close(socket);
	errno = err;
	return NULL;
}

int conntrack_dump(struct mnl_socket *socket)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = conntrack_begin_marked(buffer, IPCTNL_MSG_CT_GET, NLM_F_DUMP,
							  TSW_CT_OUT, TSW_MARK_CLASS);

	return mnl_socket_sendto(socket, request, request->nlmsg_len) < 0 ? -errno : 0;
}

int conntrack_each(__u32 index, mnl_cb_t cb, void *data)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = conntrack_begin_marked(buffer, IPCTNL_MSG_CT_GET, NLM_F_DUMP,
							  TSW_CT_OUT | index, ~0U);

	return netns_has_router() ? netlink_talk_on(NETLINK_NETFILTER, request, cb, data) : 0;
}

/* ---- writing ------------------------------------------------------------------------ */

/* ZONE 0: none, as in the reply direction. */
static void put_tuple(struct nlmsghdr *request, int direction, const struct tuple *t, __u32 zone)
{
	struct nlattr *all = mnl_attr_nest_start(request, (__u16)direction);
	struct nlattr *part = mnl_attr_nest_start(request, CTA_TUPLE_IP);
	const bool v4 = addr_is_v4(&t->src);

	attr_put_addr(request, v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, &t->src);
	attr_put_addr(request, v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, &t->dst);
	mnl_attr_nest_end(request, part);
	part = mnl_attr_nest_start(request, CTA_TUPLE_PROTO);
	mnl_attr_put_u8(request, CTA_PROTO_NUM, t->proto);
	mnl_attr_put_u16(request, CTA_PROTO_SRC_PORT, t->sport);
	mnl_attr_put_u16(request, CTA_PROTO_DST_PORT, t->dport);
	mnl_attr_nest_end(request, part);
	if (zone)
		mnl_attr_put_u16(request, CTA_TUPLE_ZONE, htons((__u16)zone));
	mnl_attr_nest_end(request, all);
}

static struct nlmsghdr *begin(void *buffer, int what, int flags, __u32 index,
			      const struct flow *flow)
{
	const struct tuple from = {flow->src, flow->dst, flow->sport, flow->dport, flow->proto};
	struct nlmsghdr *request =
		conntrack_begin(buffer, what, flags, netlink_af(addr_family(&flow->src)));

	put_tuple(request, CTA_TUPLE_ORIG, &from, index);
	return request;
}

/* The kernel wants a new entry's reply direction untranslated, and translates it itself. */
static void put_nat(struct nlmsghdr *request, const struct flow *flow)
{
	const struct tuple back = {flow->dst, flow->src, flow->dport, flow->sport, flow->proto};
	const bool v4 = addr_is_v4(&flow->nat);
	struct nlattr *nat, *ports;

	put_tuple(request, CTA_TUPLE_REPLY, &back, 0);
	if (addr_equal(&flow->nat, &flow->src) && flow->nat_port == flow->sport)
		return;
	nat = mnl_attr_nest_start(request, CTA_NAT_SRC);
	attr_put_addr(request, v4 ? CTA_NAT_V4_MINIP : CTA_NAT_V6_MINIP, &flow->nat);
	attr_put_addr(request, v4 ? CTA_NAT_V4_MAXIP : CTA_NAT_V6_MAXIP, &flow->nat);
	ports = mnl_attr_nest_start(request, CTA_NAT_PROTO);
	mnl_attr_put_u16(request, CTA_PROTONAT_PORT_MIN, flow->nat_port);
	mnl_attr_put_u16(request, CTA_PROTONAT_PORT_MAX, flow->nat_port);
	mnl_attr_nest_end(request, ports);
	mnl_attr_nest_end(request, nat);
}

static void put_tcp(struct nlmsghdr *request, const struct flow *flow, bool state)
{
	const struct nf_ct_tcp_flags flags = {IP_CT_TCP_FLAG_BE_LIBERAL, IP_CT_TCP_FLAG_BE_LIBERAL};
	struct nlattr *info, *tcp;

	if (flow->proto != IPPROTO_TCP)
		return;
	info = mnl_attr_nest_start(request, CTA_PROTOINFO);
	tcp = mnl_attr_nest_start(request, CTA_PROTOINFO_TCP);
	if (state)
		mnl_attr_put_u8(request, CTA_PROTOINFO_TCP_STATE, flow->state);
	mnl_attr_put(request, CTA_PROTOINFO_TCP_FLAGS_ORIGINAL, sizeof(flags), &flags);
	mnl_attr_put(request, CTA_PROTOINFO_TCP_FLAGS_REPLY, sizeof(flags), &flags);
	mnl_attr_nest_end(request, tcp);
	mnl_attr_nest_end(request, info);
}

int conntrack_put(__u32 index, const struct flow *flow)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, IPCTNL_MSG_CT_NEW,
					 NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, index, flow);

	put_nat(request, flow);
	mnl_attr_put_u32(request, CTA_STATUS, htonl(IPS_CONFIRMED | IPS_SEEN_REPLY | IPS_ASSURED));
	mnl_attr_put_u32(request, CTA_MARK, htonl(TSW_CT_OUT | index));
	mnl_attr_put_u32(request, CTA_TIMEOUT, htonl(flow->expiry));
	put_tcp(request, flow, true);
	return netlink_talk_on(NETLINK_NETFILTER, request, NULL, NULL);
}

int conntrack_renew(__u32 index, const struct flow *flow, bool liberal_only)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, IPCTNL_MSG_CT_NEW, NLM_F_ACK, index, flow);

	if (!liberal_only)
		mnl_attr_put_u32(request, CTA_TIMEOUT, htonl(flow->expiry));
	put_tcp(request, flow, !liberal_only);
	return netlink_talk_on(NETLINK_NETFILTER, request, NULL, NULL);
}

int conntrack_del(__u32 index, const struct flow *flow)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, IPCTNL_MSG_CT_DELETE, NLM_F_ACK, index, flow);
	const int err = netlink_talk_on(NETLINK_NETFILTER, request, NULL, NULL);

	return err == -ENOENT ? 0 : err;
}

/* The kernel also finds entries whose reply direction matches; those do not count. */
struct wanted {
	const struct flow *flow;
	__u32 index;
	struct conntrack_entry *entry;
	bool is;
};

static int take(const struct nlmsghdr *answer, void *data)
{
	struct wanted *w = data;
	const struct flow *is = &w->entry->flow;

	w->is = conntrack_read(answer, w->entry) && w->entry->index == w->index &&
		is->proto == w->flow->proto && is->sport == w->flow->sport &&
		is->dport == w->flow->dport && addr_equal(&is->src, &w->flow->src) &&
		addr_equal(&is->dst, &w->flow->dst);
	return MNL_CB_OK;
}

int conntrack_get(__u32 index, const struct flow *flow, struct conntrack_entry *entry)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, IPCTNL_MSG_CT_GET, NLM_F_ACK, index, flow);
	struct wanted w = {.flow = flow, .index = index, .entry = entry};
	const int err = netlink_talk_on(NETLINK_NETFILTER, request, take, &w);

	return err ?: w.is ? 0 : -EEXIST;
}
