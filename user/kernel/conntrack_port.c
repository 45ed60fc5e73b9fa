// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "kernel/address.h"
#include "kernel/conntrack_attrs.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"

enum { TUPLE_LEN = 256 };

struct connection {
	char tuple[TUPLE_LEN]; /* the kernel's attribute of the original direction */
	struct tsw_addr to;
};

struct search {
	const struct tsw_publish_key *keys;
	size_t n_keys;
	__u16 family;	 /* only keys of this enum tsw_family */
	bool undirected; /* only connections that no mapping translates */
	struct connection *all;
	size_t n;
};

static bool is_to_port(const struct attrs *tuple, const struct search *s)
{
	const struct attrs proto = attrs_nested(tuple->at[CTA_TUPLE_PROTO]);
	const struct nlattr *num = proto.at[CTA_PROTO_NUM], *port = proto.at[CTA_PROTO_DST_PORT];
	const struct tsw_publish_key *key;

	for (key = s->keys; num && port && key < s->keys + s->n_keys; key++)
		if (key->family == s->family && mnl_attr_get_u8(num) == key->proto &&
		    ntohs(mnl_attr_get_u16(port)) == key->port)
			return true;
	return false;
}

static struct tsw_addr destination(const struct attrs *tuple)
{
	const struct attrs ip = attrs_nested(tuple->at[CTA_TUPLE_IP]);
	struct tsw_addr addr = {};

	attr_addr(ip.at[CTA_IP_V4_DST] ?: ip.at[CTA_IP_V6_DST], &addr);
	return addr;
}

/* Does not use the mark: a later mapping also marks connections that it does not translate. */
static bool is_translated(const struct attrs *attrs)
{
	return ntohl(attr_u32(attrs->at[CTA_STATUS])) & IPS_DST_NAT;
}

static int look(const struct nlmsghdr *answer, void *data)
{
	const struct nlattr *orig;
	const struct attrs attrs = conntrack_attrs(answer);
	struct attrs tuple;
	struct search *s = data;
	struct connection *one;

	orig = attrs.at[CTA_TUPLE_ORIG];
	tuple = attrs_nested(orig);
	if (!orig || mnl_attr_get_len(orig) > TUPLE_LEN || !is_to_port(&tuple, s) ||
	    (s->undirected && is_translated(&attrs)))
		return MNL_CB_OK;
	one = list_grow(&s->all, &s->n, sizeof(*one));
	if (!one)
		return MNL_CB_ERROR;
	memcpy(one->tuple, orig, mnl_attr_get_len(orig));
	one->to = destination(&tuple);
	return MNL_CB_OK;
}

/* 0 also if the connection has ended meanwhile. */
static int forget(const struct search *s, const struct connection *c)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		conntrack_begin(buffer, IPCTNL_MSG_CT_DELETE, NLM_F_ACK, netlink_af(s->family));
	const struct nlattr *tuple = (const void *)c->tuple;
	int err;

	mnl_attr_put(request, CTA_TUPLE_ORIG | NLA_F_NESTED, mnl_attr_get_payload_len(tuple),
		     mnl_attr_get_payload(tuple));
	err = netlink_talk_on(NETLINK_NETFILTER, request, NULL, NULL);
	return err == -ENOENT ? 0 : err;
}

static int forget_found(struct search *s, __u32 mark)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		conntrack_begin(buffer, IPCTNL_MSG_CT_GET, NLM_F_DUMP, netlink_af(s->family));
	size_t i;
	int err;

	if (mark) {
		mnl_attr_put_u32(request, CTA_MARK, htonl(mark));
		mnl_attr_put_u32(request, CTA_MARK_MASK, ~0U);
	}
	s->n = 0;
	err = netlink_talk_on(NETLINK_NETFILTER, request, look, s);
	for (i = 0; !err && i < s->n; i++)
		if (mark || address_is_local(&s->all[i].to))
			err = forget(s, &s->all[i]);
	return err;
}

int conntrack_forget_ports(const struct tsw_publish_key *keys, size_t n, __u32 mark)
{
	struct search s = {.keys = keys, .n_keys = n, .undirected = !mark};
	bool has[TSW_FAMILIES] = {};
	int err = 0;
	size_t i;

	for (i = 0; i < n; i++)
		has[keys[i].family] = true;
	if (!netns_has_router())
		return 0;
	for (; !err && s.family < TSW_FAMILIES; s.family++)
		if (has[s.family])
			err = forget_found(&s, mark);
	free(s.all);
	return err ? fail(err, "cannot delete the connections to published ports (%u%s): %s",
			  keys->port, n > 1 ? " and others" : "", strerror(-err))
		   : 0;
}
