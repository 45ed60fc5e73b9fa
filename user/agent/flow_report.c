// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <string.h>

#include "agent/flow_report.h"
#include "base/text.h"

#define MAGIC 0x74737766U /* "tswf" */

enum { VERSION = 1, END = 1, GONE = 1, IPV6 = 2 };

struct header {
	__be32 magic;
	__u8 version;
	__u8 flags;   /* END */
	__be16 count; /* of reports */
};

/* Three addresses of 4 or 16 octets follow: source, destination, and source after NAT. */
struct wire_report {
	__u8 flags; /* GONE, IPV6 */
	__u8 proto;
	__u8 state;
	__u8 zero;
	__be32 tenant;
	__be32 expiry;
	__be16 sport, dport, nat_port;
	__be16 zero2;
};

enum { V4 = 4, V6 = 16, ADDRS = 3, LEAST = sizeof(struct wire_report) + ADDRS * V4 };

_Static_assert(sizeof(struct header) == 8 && sizeof(struct wire_report) == 20, "sizes on the wire");
_Static_assert((FLOW_DATAGRAM - sizeof(struct header)) / LEAST == FLOW_REPORTS, "as many fit");

/* ---- writing ---------------------------------------------------------------------------- */

static struct header *begin(struct flow_datagram *d)
{
	struct header *h = (void *)d->octets;

	if (d->len)
		return h;
	*h = (struct header){.magic = htonl(MAGIC), .version = VERSION};
	d->len = sizeof(*h);
	return h;
}

static void write_addr(struct flow_datagram *d, const struct tsw_addr *addr, bool v4)
{
	const size_t size = v4 ? V4 : V6;

	memcpy(d->octets + d->len, v4 ? &addr->w[3] : &addr->w[0], size);
	d->len += size;
}

bool flow_write(struct flow_datagram *d, const struct flow_report *report)
{
	const struct flow *f = &report->flow;
	const bool v4 = addr_is_v4(&f->src);
	const struct wire_report r = {.flags = (report->gone ? GONE : 0) | (v4 ? 0 : IPV6),
				      .proto = f->proto,
				      .state = f->state,
				      .tenant = htonl(report->tenant),
				      .expiry = htonl(f->expiry),
				      .sport = f->sport,
				      .dport = f->dport,
				      .nat_port = f->nat_port};
	struct header *h = begin(d);

	if (d->len + sizeof(r) + ADDRS * (v4 ? V4 : V6) > sizeof(d->octets))
		return false;
	memcpy(d->octets + d->len, &r, sizeof(r));
	d->len += sizeof(r);
	write_addr(d, &f->src, v4);
	write_addr(d, &f->dst, v4);
	write_addr(d, &f->nat, v4);
	h->count = htons((__u16)(ntohs(h->count) + 1));
	return true;
}

void flow_write_end(struct flow_datagram *d)
{
	begin(d)->flags |= END;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* The rest of a datagram that is not read yet. */
struct rest {
	const __u8 *at;
	size_t len;
};

static bool take(struct rest *rest, void *to, size_t size)
{
	if (rest->len < size)
		return false;
	memcpy(to, rest->at, size);
	rest->at += size;
	rest->len -= size;
	return true;
}

/* An IPv4 address must be written in 4 octets. */
static bool read_addr(struct rest *rest, bool v4, struct tsw_addr *addr)
{
	__be32 word;

	if (!v4)
		return take(rest, addr, sizeof(*addr)) && !addr_is_v4(addr);
	if (!take(rest, &word, sizeof(word)))
		return false;
	*addr = addr_from_v4(word);
	return true;
}

static bool is_state(__u8 proto, __u8 state, bool gone)
{
	if (proto == IPPROTO_UDP)
		return !state;
	return proto == IPPROTO_TCP && state < TCP_CONNTRACK_MAX &&
	       (gone || (state >= TCP_CONNTRACK_ESTABLISHED && state <= TCP_CONNTRACK_LAST_ACK));
}

static bool read_report(struct rest *rest, struct flow_report *report)
{
	struct flow *f = &report->flow;
	struct wire_report r;
	bool v4;

	*report = (struct flow_report){};
	if (!take(rest, &r, sizeof(r)) || r.flags & ~(GONE | IPV6) || r.zero || r.zero2 ||
	    !r.sport || !r.dport || !r.nat_port)
		return false;
	v4 = !(r.flags & IPV6);
	report->gone = r.flags & GONE;
	report->tenant = ntohl(r.tenant);
	f->proto = r.proto;
	f->state = r.state;
	f->expiry = ntohl(r.expiry);
	f->sport = r.sport;
	f->dport = r.dport;
	f->nat_port = r.nat_port;
	return is_state(r.proto, r.state, report->gone) && read_addr(rest, v4, &f->src) &&
	       read_addr(rest, v4, &f->dst) && read_addr(rest, v4, &f->nat);
}

int flow_read(const void *octets, size_t len, struct flow_report reports[FLOW_REPORTS], bool *end)
{
	struct rest rest = {octets, len};
	struct header h;
	int i, n;

	if (!take(&rest, &h, sizeof(h)) || h.magic != htonl(MAGIC) || h.version != VERSION ||
	    h.flags & ~END)
		return -EBADMSG;
	n = ntohs(h.count);
	for (i = 0; i < n; i++)
		if (i >= FLOW_REPORTS || !read_report(&rest, &reports[i]))
			return -EBADMSG;
	*end = h.flags & END;
	return rest.len ? -EBADMSG : n;
}
