// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/netlink.h"
#include "kernel/process.h"
#include "kernel/sockets.h"

enum { ALL_STATES = -1 };

struct search {
	enum tsw_family family; /* of the packets */
	__be16 port;
	const char *word; /* of processes whose sockets are left out */
	bool found;
	struct tsw_addr at;
};

/* Without the attribute the socket may also receive IPv4. */
static bool hears_only_v6(const struct nlmsghdr *answer)
{
	return attr_u8(attrs_of(answer, sizeof(struct inet_diag_msg)).at[INET_DIAG_SKV6ONLY]);
}

/* The socket's address; all zero: all addresses. */
static struct tsw_addr address(const struct inet_diag_msg *msg)
{
	struct tsw_addr at;

	memcpy(&at, msg->id.idiag_src, sizeof(at));
	return msg->idiag_family == AF_INET && at.w[0] ? addr_from_v4(at.w[0]) : at;
}

static bool hears(const struct nlmsghdr *answer, const struct tsw_addr *at, enum tsw_family family)
{
	const struct inet_diag_msg *msg = mnl_nlmsg_get_payload(answer);

	if (!addr_is_none(at))
		return addr_family(at) == family;
	if (msg->idiag_family == AF_INET)
		return family == TSW_IPV4;
	return family == TSW_IPV6 || !hears_only_v6(answer);
}

static int look(const struct nlmsghdr *answer, void *data)
{
	const struct inet_diag_msg *msg = mnl_nlmsg_get_payload(answer);
	const struct tsw_addr at = address(msg);
	struct search *s = data;

	if (answer->nlmsg_type != SOCK_DIAG_BY_FAMILY || msg->id.idiag_sport != s->port ||
	    !hears(answer, &at, s->family) ||
	    (*s->word && process_has_socket(s->word, msg->idiag_inode)))
		return MNL_CB_OK;
	s->found = true;
	s->at = at;
	return MNL_CB_OK;
}

static int dump(__u8 af, __u8 proto, __u32 states, __be16 port, mnl_cb_t take, void *data)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = netlink_begin(buffer, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
						 sizeof(struct inet_diag_req_v2));
	struct inet_diag_req_v2 *what = mnl_nlmsg_get_payload(request);

	what->sdiag_family = af;
	what->sdiag_protocol = proto;
	what->idiag_states = states;
	what->id.idiag_sport = port;
	return netlink_talk_on(NETLINK_SOCK_DIAG, request, take, data);
}

static int ask(struct search *s, __u8 af, __u8 proto)
{
	const __u32 states = proto == IPPROTO_TCP ? 1U << TCP_LISTEN : (__u32)ALL_STATES;

	return dump(af, proto, states, s->port, look, s);
}

int sockets_find(enum tsw_family family, __u8 proto, __u16 port, const char *word, bool *found,
		 struct tsw_addr *at)
{
	struct search s = {.family = family, .port = htons(port), .word = word};
	int err = family == TSW_IPV4 ? ask(&s, AF_INET, proto) : 0;

	/* Sockets of IPv6 also receive IPv4, unless they are set to IPv6 only. */
	if (!err && !s.found)
		err = ask(&s, AF_INET6, proto);
	if (err)
		return fail(err, "cannot ask the kernel who uses port %u: %s", port,
			    strerror(-err));
	*found = s.found;
	*at = s.at;
	return 0;
}

struct visiting {
	heard_visit *visit;
	void *context;
	__u8 proto;
};

static bool is_loopback(const struct tsw_addr *at)
{
	const struct tsw_addr one = {{0, 0, 0, htonl(1)}};

	return addr_is_v4(at) ? ntohl(at->w[3]) >> 24 == 127 : addr_equal(at, &one);
}

static int visit_socket(const struct nlmsghdr *answer, void *data)
{
	const struct inet_diag_msg *msg = mnl_nlmsg_get_payload(answer);
	struct visiting *v = data;
	struct heard h = {
		.proto = v->proto, .port = ntohs(msg->id.idiag_sport), .inode = msg->idiag_inode};

	if (answer->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return MNL_CB_OK;
	h.at = address(msg);
	for (h.family = 0; h.family < TSW_FAMILIES; h.family++)
		if (!is_loopback(&h.at) && hears(answer, &h.at, h.family))
			v->visit(&h, v->context);
	return MNL_CB_OK;
}

int sockets_each(heard_visit *visit, void *context)
{
	static const __u8 families[] = {AF_INET, AF_INET6};
	struct visiting tcp = {visit, context, IPPROTO_TCP}, udp = {visit, context, IPPROTO_UDP};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(families); i++) {
		err = dump(families[i], IPPROTO_TCP, 1U << TCP_LISTEN, 0, visit_socket, &tcp);
		err = err ?: dump(families[i], IPPROTO_UDP, 1U << TCP_CLOSE, 0, visit_socket, &udp);
	}
	return err ? fail(err, "cannot list the kernel's sockets: %s", strerror(-err)) : 0;
}

socklen_t socket_address(enum tsw_family family, const struct tsw_addr *addr, __be16 port,
			 struct sockaddr_storage *at)
{
	struct sockaddr_in *in = (void *)at;
	struct sockaddr_in6 *in6 = (void *)at;

	memset(at, 0, sizeof(*at));
	if (family == TSW_IPV4) {
		in->sin_family = AF_INET;
		in->sin_port = port;
		in->sin_addr.s_addr = addr->w[3];
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = port;
	memcpy(&in6->sin6_addr, addr, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}
