// SPDX-License-Identifier: GPL-2.0-only
/* Shared by the parts of the explanation: steps, look-ups and limits. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "record/counters.h"
#include "trace/trace.h"

enum { TEXT_LEN = 640, TEXTS = 12, LIST_LEN = 400 };

static char *text_buffer(void)
{
	static _Thread_local char buffers[TEXTS][TEXT_LEN];
	static _Thread_local unsigned int next;

	return buffers[next++ % TEXTS];
}

const char *trace_kind_text(enum trace_kind kind)
{
	static const char *const words[] = {
		[TRACE_NEXT] = "unknown",      [TRACE_DROPPED] = "dropped",
		[TRACE_ANSWERED] = "answered", [TRACE_DELIVERED] = "delivered",
		[TRACE_TUNNEL] = "tunnel",     [TRACE_KERNEL] = "kernel_tunnel",
		[TRACE_GATEWAY] = "gateway",   [TRACE_FLOODED] = "flooded",
		[TRACE_PASSED] = "passed",     [TRACE_UNSENT] = "unsent",
	};

	return words[kind];
}

const char *trace_device_text(__u32 ifindex)
{
	char *out = text_buffer(), name[IFNAMSIZ];

	if (if_indextoname(ifindex, name))
		snprintf(out, TEXT_LEN, "%u %s", ifindex, escaped(name));
	else
		snprintf(out, TEXT_LEN, "%u", ifindex);
	return out;
}

const char *trace_host_text(struct trace *tr, __u32 host)
{
	char *out = text_buffer();
	struct tsw_host entry;

	if (trace_have(tr, MAP_HOSTS, &host, &entry))
		snprintf(out, TEXT_LEN, "host %s", entry.name);
	else
		snprintf(out, TEXT_LEN, "host number %u", host);
	return out;
}

const char *trace_endpoint_text(struct trace *tr, const struct tsw_mac *mac)
{
	const char *name = endpoint_owner_text(tr->t, tr->id, mac);
	char *out = text_buffer();

	snprintf(out, TEXT_LEN, "%s", *name ? name + strlen(" of ") : mac_text(mac));
	return out;
}

const char *trace_fdb_text(struct trace *tr, const struct tsw_fdb *at)
{
	char *out = text_buffer();

	if (at->place == TSW_PLACE_HOST)
		return trace_host_text(tr, at->id);
	if (at->place == TSW_PLACE_GATEWAY)
		return "gateway";
	snprintf(out, TEXT_LEN, "port %s", trace_device_text(at->id));
	return out;
}

const char *trace_key(const struct trace *tr, const char *rest)
{
	char *out = text_buffer();

	snprintf(out, TEXT_LEN, "%s %s", tr->tenant.name, rest);
	return out;
}

const char *trace_word(const char *text)
{
	const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";
	char *out = text_buffer();
	int used;

	if (!text[strspn(text, plain)] && *text != '-')
		return text;
	used = snprintf(out, TEXT_LEN, "'");
	for (; *text && used < LIST_LEN; text++)
		used += snprintf(out + used, (size_t)(TEXT_LEN - used),
				 *text == '\'' ? "'\\''" : "%c", *text);
	snprintf(out + used, (size_t)(TEXT_LEN - used), "'");
	return out;
}

static const char *join(const char *a, const char *b)
{
	static _Thread_local char out[2 * TEXT_LEN];

	snprintf(out, sizeof(out), "%s%s", a, b);
	return out;
}

const char *trace_endpoint_set(const struct trace *tr)
{
	char *out = text_buffer();

	snprintf(out, TEXT_LEN, "tsw endpoint set %s tenant %s", trace_word(tr->from.key.name.s),
		 trace_word(tr->tenant.name));
	return out;
}

const char *trace_endpoint_ips(const struct trace *tr, const struct tsw_addr *more)
{
	const char *set = trace_endpoint_set(tr);
	char *out = text_buffer();
	unsigned int i;
	int used = 0;

	for (i = 0; i < tr->from.n_ip && used < LIST_LEN; i++)
		used += snprintf(out + used, (size_t)(TEXT_LEN - used), " ip %s",
				 addr_text(&tr->from.ip[i]));
	snprintf(out + used, (size_t)(TEXT_LEN - used), "%s ip %s", i < tr->from.n_ip ? " ..." : "",
		 addr_text(more));
	return join(set, out);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

void trace_step(struct trace *tr, const char *step, struct trace_look look, const char *fmt, ...)
{
	const bool map = look.map < MAP_COUNT;
	char says[TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(says, sizeof(says), fmt, args);
	va_end(args);
	json_array_append_new(
		tr->steps, json_pack("{s:s, s:s?, s:o, s:o, s:o}", "at", step, "map",
				     map ? map_name(look.map) : NULL, "key", text_or_null(look.key),
				     "entry", text_or_null(look.entry), "says", json_text(says)));
}

static int drop(struct trace *tr, enum tsw_drop reason, const char *fmt, va_list args)
{
	vsnprintf(tr->why, sizeof(tr->why), fmt, args);
	tr->end.reason = (__u16)reason;
	return trace_finish(tr, TRACE_DROPPED);
}

int trace_drop(struct trace *tr, enum tsw_drop reason, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	drop(tr, reason, fmt, args);
	va_end(args);
	return TRACE_DROPPED;
}

int trace_drop_at(struct trace *tr, enum tsw_drop reason, const char *step, struct trace_look look,
		  const char *fmt, ...)
{
	va_list args;

	trace_step(tr, step, look, "%s", drop_reason((__u16)reason));
	va_start(args, fmt);
	drop(tr, reason, fmt, args);
	va_end(args);
	return TRACE_DROPPED;
}

int trace_advise(struct trace *tr, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(tr->what_to_do, sizeof(tr->what_to_do), fmt, args);
	va_end(args);
	return tr->end.kind;
}

int trace_finish(struct trace *tr, enum trace_kind kind)
{
	tr->end.kind = kind;
	return kind;
}

void trace_problem(struct trace *tr, const char *what, const char *fmt, ...)
{
	char detail[TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	json_array_append_new(tr->problems,
			      json_pack("{s:s, s:o}", "what", what, "detail", json_text(detail)));
}

void trace_unproven(struct trace *tr, const char *fmt, ...)
{
	char text[TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_array_append_new(tr->unproven, json_pack("{s:o}", "not_proven", json_text(text)));
}

bool trace_have(struct trace *tr, enum map map, const void *key, void *value)
{
	int err = map_get_any(&tr->t->maps, map, key, value);

	if (err && err != -ENOENT && !tr->err)
		tr->err = err;
	return !err;
}

bool trace_fdb(struct trace *tr, __u32 tenant, const struct tsw_mac *mac, struct tsw_fdb *at)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};

	return trace_have(tr, MAP_FDB, &key, at);
}

/* Also where both lead to one port, as guard_same_port(): its MAC is being changed. */
bool trace_same_port(struct trace *tr, const struct tsw_mac *a, const struct tsw_mac *b)
{
	struct tsw_fdb x, y;

	return mac_equal(a, b) ||
	       (trace_fdb(tr, tr->id, a, &x) && trace_fdb(tr, tr->id, b, &y) &&
		x.place == TSW_PLACE_PORT && y.place == TSW_PLACE_PORT && x.id == y.id);
}

/* The MAC that a link-local address was made from: RFC 4291 appendix A. */
static bool is_eui64(const struct tsw_addr *addr, struct tsw_mac *mac)
{
	const __u8 *b = (const __u8 *)addr;

	if (addr->w[0] != htonl(0xfe800000) || addr->w[1] || b[11] != 0xff || b[12] != 0xfe)
		return false;
	*mac = (struct tsw_mac){{b[8] ^ 2, b[9], b[10], b[13], b[14], b[15]}};
	return true;
}

bool trace_behind(struct trace *tr, __u32 tenant, const struct tsw_addr *addr,
		  struct tsw_behind *behind)
{
	const struct tsw_prefix_key key = {.len = 32 + 128, .of = {tenant, *addr}};

	return trace_have(tr, MAP_PREFIXES, &key, behind);
}

bool trace_owner(struct trace *tr, __u32 tenant, const struct tsw_addr *addr, struct tsw_mac *mac)
{
	const struct tsw_addr_key key = {.tenant = tenant, .addr = *addr};
	struct tsw_addr_owner owner;
	struct tsw_behind behind;
	struct tsw_fdb at;

	if (trace_have(tr, MAP_ADDRS, &key, &owner)) {
		*mac = owner.mac;
		return true;
	}
	if (is_eui64(addr, mac) && trace_fdb(tr, tenant, mac, &at))
		return true;
	if (!trace_behind(tr, tenant, addr, &behind))
		return false;
	*mac = behind.mac;
	return true;
}

bool trace_neighbour(struct trace *tr, __u32 tenant, const struct tsw_addr *addr,
		     struct tsw_mac *mac)
{
	const struct tsw_addr_key key = {.tenant = tenant, .addr = *addr};
	struct tsw_binding binding;

	if (trace_owner(tr, tenant, addr, mac))
		return true;
	if (!trace_have(tr, MAP_BINDINGS, &key, &binding))
		return false;
	*mac = binding.mac;
	return true;
}

enum map trace_owner_map(struct trace *tr, const struct tsw_addr *addr)
{
	const struct tsw_addr_key key = {.tenant = tr->id, .addr = *addr};
	struct tsw_addr_owner owner;
	struct tsw_behind behind;

	return !trace_have(tr, MAP_ADDRS, &key, &owner) && trace_behind(tr, tr->id, addr, &behind)
		       ? MAP_PREFIXES
		       : MAP_ADDRS;
}

bool trace_service(const struct trace *tr, const struct tsw_addr *addr, struct tsw_mac *mac)
{
	*mac = (struct tsw_mac)TSW_SERVICE_MAC;
	return addr_is_service(addr) && tr->tenant.flags & TSW_TENANT_ANSWERS;
}

bool trace_is_no_source(const struct tsw_addr *addr)
{
	const __u32 v4 = ntohl(addr->w[3]);

	if (addr_is_v4(addr))
		return v4 >> 24 == 0 || v4 >> 24 == 127 || v4 >= 0xe0000000;
	return ntohl(addr->w[0]) >> 24 == 0xff ||
	       (!addr->w[0] && !addr->w[1] && !addr->w[2] && addr->w[3] == htonl(1));
}

bool trace_is_link_local(const struct tsw_addr *addr)
{
	if (addr_is_v4(addr))
		return (addr->w[3] & htonl(0xffff0000)) == htonl(0xa9fe0000);
	return addr_is_link_local(addr);
}

bool trace_may_be_shown(const struct tsw_addr *addr)
{
	const struct tsw_mac service = TSW_SERVICE_MAC;
	struct tsw_mac mac;

	if (is_eui64(addr, &mac) && mac_equal(&mac, &service))
		return false;
	return addr->w[0] == htonl(0xfe800000) && !addr->w[1] && (addr->w[2] | addr->w[3]);
}

bool trace_owns(struct trace *tr, const struct tsw_addr *addr, bool *known, struct tsw_mac *owner)
{
	*known = !trace_is_no_source(addr) && trace_neighbour(tr, tr->id, addr, owner);
	if (*known)
		return trace_same_port(tr, owner, &tr->port.mac);
	if (trace_may_be_shown(addr))
		return true;
	return !(tr->port.flags & TSW_PORT_GUARD_IP) && !trace_is_no_source(addr) &&
	       !addr_is_service(addr) && !addr_is_none(addr);
}

bool trace_is_to_many(const struct tsw_addr *addr)
{
	return addr_is_v4(addr) ? ntohl(addr->w[3]) >= 0xe0000000 : ntohl(addr->w[0]) >> 24 == 0xff;
}

const struct tsw_prefix *trace_gateway_net(const struct trace *tr, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; tr->has_gw && i < tr->gw.n_addrs; i++)
		if (prefix_has(&tr->gw.addr[i], addr))
			return &tr->gw.addr[i];
	return NULL;
}

int trace_reserved(struct trace *tr)
{
	static const __u8 head[] = {0x01, 0x80, 0xc2, 0, 0};
	const struct tsw_mac *dst = &tr->frame.dst;

	if (memcmp(dst, head, sizeof(head)) != 0 || dst->b[5] >= 0x10)
		return TRACE_NEXT;
	return trace_drop_at(tr, TSW_DROP_RESERVED_MULTICAST, "guard",
			     TRACE_LOOK(MAP_COUNT, mac_text(dst), NULL),
			     "%s is for one link only, no bridge forwards it", mac_text(dst));
}

/* Whether a program would find the bucket empty now. */
static bool is_empty(const struct tsw_bucket *bucket)
{
	const __u64 now = clock_kernel_ns() * TSW_LIMIT_UNITS;

	return bucket->rate && bucket->full_at > now && bucket->full_at - now >= bucket->depth;
}

/* One of the two limits of a port: that of MAC, or the tenant's for the zero MAC. */
static int limit_of(struct trace *tr, const struct tsw_port *port, const struct tsw_mac *mac,
		    enum tsw_rate which)
{
	const struct tsw_limit_key key = {.tenant = port->tenant, .mac = *mac};
	const bool own = !mac_equal(mac, &limits_tenant);
	struct trace_look look;
	struct tsw_limit limit;
	char rate[64];

	if (!trace_have(tr, MAP_LIMITS, &key, &limit) || !limit.bucket[which].rate)
		return TRACE_NEXT;
	snprintf(rate, sizeof(rate), "%s %llu bit/s",
		 which == TSW_RATE_OUT ? "rate-out" : "rate-in",
		 (unsigned long long)limit.bucket[which].rate);
	look = TRACE_LOOK(MAP_LIMITS, trace_key(tr, own ? mac_text(mac) : "all"), rate);
	if (tr->reply)
		tr->alters = "a run would take octets out of the rate limit";
	if (!is_empty(&limit.bucket[which])) {
		trace_step(tr, "limit", look, "within the limit");
		return TRACE_NEXT;
	}
	if (which == TSW_RATE_IN)
		tr->end.direction = TSW_DIR_TO_ENDPOINT;
	trace_drop_at(tr, TSW_DROP_RATE_LIMITED, "limit", look,
		      "the %s of %s is used up at this moment", rate,
		      own ? mac_text(mac) : "the tenant");
	return trace_advise(tr, "for a higher rate: tsw %s set", own ? "endpoint" : "tenant");
}

int trace_limit(struct trace *tr, const struct tsw_port *port, enum tsw_rate which)
{
	int kind = TRACE_NEXT;

	if (port->flags & TSW_PORT_LIMIT(which))
		kind = limit_of(tr, port, &port->mac, which);
	if (kind == TRACE_NEXT && port->flags & TSW_PORT_TENANT_LIMIT(which))
		kind = limit_of(tr, port, &limits_tenant, which);
	return kind;
}
