/* SPDX-License-Identifier: GPL-2.0-only */
/* DHCP (RFC 2131, RFC 2132): the options of an answer. */
#ifndef TSW_BPF_ANSWER_DHCP_OPTIONS_H
#define TSW_BPF_ANSWER_DHCP_OPTIONS_H

#include "answer/boot.h"
#include "answer/dhcp_read.h"
#include "answer/domain.h"
#include "answer/lease.h"
#include "answer/reply.h"

struct dhcp_word { /* an option of 32 bits */
	__u8 code, len;
	__be32 value;
} __attribute__((packed));

/* The most octets of the domain that have room: as a text after a client's id, and as a name. */
#define DHCP_DOMAIN_MAX (TSW_DOMAIN_MAX - 2)
#define DHCP_SEARCH_MAX (sizeof(((struct dhcp *)0)->file) - 3)

/*
 * Each option has its place. An option that is left out is zeros, which are pad options (RFC 2132
 * section 3.1). The same is true after a short name and a short id. The domain follows the id.
 */
struct dhcp_options {
	__u8 type[3], overload[3];
	struct dhcp_word server, lease, renew, rebind, mask, router, dns;
	__u8 mtu[4];
	__u8 routes[2 + 9 + 5];
	__u8 name[2 + TSW_NAME_LEN];
	__u8 id[2 + DHCP_ID_MAX + 35]; /* the rest of what a client takes */
	__u8 end;
} __attribute__((packed));

/* Where `id` begins in the room, after the frame's other headers. */
#define DHCP_ID_AT                                                                           \
	(2 + ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr) + sizeof(struct dhcp) + \
	 offsetof(struct dhcp_options, id))

/* In the place of the boot file's name: RFC 2132 section 9.3. */
struct dhcp_file {
	__u8 code, len, name[DHCP_SEARCH_MAX], end;
} __attribute__((packed));

_Static_assert(sizeof(struct dhcp_file) == sizeof(((struct dhcp *)0)->file), "its room");

static __always_inline __be32 dhcp_server(const struct lease *l)
{
	return l->server.w[3];
}

static __always_inline void dhcp_say(struct dhcp_word *o, __u8 code, __be32 value)
{
	*o = (struct dhcp_word){code, 4, value};
}

static __always_inline __be32 dhcp_mask(__u32 len)
{
	return len > 96 ? bpf_htonl(~0U << ((128 - len) & 31)) : 0;
}

/*
 * The route to the server, on-link (by 0.0.0.0), if it is not in the endpoint's network; and the
 * default route by the router. A client that reads these ignores the router's option (RFC 3442).
 */
static __always_inline void dhcp_say_routes(struct dhcp_options *o, const struct lease *l)
{
	__be32 server = dhcp_server(l);
	bool on_link = !((server ^ l->ip.w[3]) & dhcp_mask(l->len));

	if (on_link && !l->router)
		return;
	o->routes[0] = DHCP_O_ROUTES;
	o->routes[1] = (on_link ? 0 : 9) + (l->router ? 5 : 0);
	if (on_link) {
		__builtin_memcpy(&o->routes[2 + 1], &server, sizeof(server));
		return;
	}
	o->routes[2] = 32;
	__builtin_memcpy(&o->routes[2 + 1], &server, sizeof(server));
	if (l->router)
		__builtin_memcpy(&o->routes[2 + 9 + 1], &server, sizeof(server));
}

/* Letters, digits, hyphens and dots: RFC 952, RFC 1123 section 2.1. */
static __always_inline bool dhcp_is_host(__u8 c)
{
	return (__u8)((c | 0x20) - 'a') < 26 || (__u8)(c - '0') < 10 || c == '-' || c == '.';
}

struct dhcp_name {
	struct tsw_name *name;
	__u32 len;
	bool bad; /* it is no host name */
};

static long dhcp_name_walk(__u32 i, struct dhcp_name *n)
{
	char c = n->name->s[i & (TSW_NAME_LEN - 1)];

	n->bad = c && !dhcp_is_host(c);
	n->len = i;
	return !c || n->bad;
}

static __always_inline void dhcp_say_name(struct dhcp_options *o, const struct tsw_port *port)
{
	struct dhcp_name n = {.name = lease_name(port)};

	if (!n.name)
		return;
	bpf_loop(TSW_NAME_LEN, dhcp_name_walk, &n, 0);
	if (n.bad)
		return;
	o->name[0] = DHCP_O_NAME;
	o->name[1] = n.len;
	__builtin_memcpy(&o->name[2], n.name->s, TSW_NAME_LEN);
}

/*
 * The domain to search for names in, as two options, since some clients know only one of them: as a
 * text, and as a DNS name (RFC 3397). Without room for all of it, it is left out, because a part
 * would be another domain. Returns where the next option begins.
 */
static __always_inline __u32 dhcp_say_text(struct dhcp_options *o, const struct tsw_domain *domain,
					   __u64 at)
{
	TSW_KEEP(at);
	if (at > sizeof(o->id) - 2 - DHCP_DOMAIN_MAX || domain->len - 1 > DHCP_DOMAIN_MAX)
		return at;
	o->id[at] = DHCP_O_DOMAIN;
	o->id[at + 1] = domain->len - 1;
	__builtin_memcpy(&o->id[at + 2], &domain->text[1], DHCP_DOMAIN_MAX);
	return at + 1 + domain->len;
}

static __always_inline void dhcp_say_search(struct dhcp_options *o, struct dhcp_file *file,
					    const struct tsw_domain *domain)
{
	if (domain->len + 1 > DHCP_SEARCH_MAX)
		return;
	o->overload[0] = DHCP_O_OVERLOAD;
	o->overload[1] = o->overload[2] = 1; /* more options are in file */
	file->code = DHCP_O_SEARCH;
	file->len = domain->len + 1;
	__builtin_memcpy(file->name, domain->wire, DHCP_SEARCH_MAX);
	file->end = DHCP_O_END;
}

/* Adds len octets at `at`, if there is room. Returns where the next option begins. */
static __always_inline __u32 dhcp_add(const void *from, __u32 first, __u32 len, __u32 at)
{
	struct reply_add what = {from, first, DHCP_ID_AT + at};

	if (at + len > sizeof(((struct dhcp_options *)0)->id))
		return at;
	reply_add(&what, len);
	return at + len;
}

/* The same domain, beside the boot file's name. */
static __always_inline __u32 dhcp_add_search(struct dhcp_options *o,
					     const struct tsw_domain *domain, __u64 at)
{
	__u32 len = domain->len + 1;

	TSW_KEEP(at);
	if (at > sizeof(o->id) - 2 || at + 2 + len > sizeof(o->id))
		return at;
	o->id[at] = DHCP_O_SEARCH;
	o->id[at + 1] = len;
	return dhcp_add(domain, offsetof(struct tsw_domain, wire), len, at + 2);
}

/*
 * The boot server and its file. Boot ROMs read the message's own fields; the options are for
 * clients that read nothing else, and come last, where they have room.
 */
static __always_inline void dhcp_say_boot(struct dhcp *dhcp, const struct tsw_boot *boot, __u32 at)
{
	dhcp->siaddr = boot->server[TSW_IPV4].w[3];
	__builtin_memcpy(dhcp->file, boot->file, sizeof(dhcp->file));
	dhcp_add(boot->option[TSW_IPV4], 0, boot->len[TSW_IPV4], at);
}

/*
 * Fills in the options that come with an address. The client of an INFORM has an address for as
 * long as it likes.
 */
static __always_inline void dhcp_say_all(struct dhcp_options *o, const struct tsw_port *port,
					 const struct dhcp_asked *asked, const struct lease *l)
{
	if (asked->type != DHCP_INFORM) {
		dhcp_say(&o->lease, DHCP_O_LEASE, bpf_htonl(DHCP_LEASE));
		dhcp_say(&o->renew, DHCP_O_RENEW, bpf_htonl(DHCP_LEASE / 2));
		dhcp_say(&o->rebind, DHCP_O_REBIND, bpf_htonl(DHCP_LEASE / 8 * 7));
	}
	dhcp_say(&o->mask, DHCP_O_MASK, dhcp_mask(l->len));
	if (l->router)
		dhcp_say(&o->router, DHCP_O_ROUTER, dhcp_server(l));
	if (l->dns)
		dhcp_say(&o->dns, DHCP_O_DNS, dhcp_server(l));
	if (l->mtu >= LEASE_MTU_LEAST) {
		o->mtu[0] = DHCP_O_MTU;
		o->mtu[1] = 2;
		o->mtu[2] = l->mtu >> 8;
		o->mtu[3] = l->mtu & 0xff;
	}
	dhcp_say_routes(o, l);
	dhcp_say_name(o, port);
}

#endif
