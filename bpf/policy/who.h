/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is at either end of a frame, in the rules' words: any, groups, CIDRs. */
#ifndef TSW_BPF_POLICY_WHO_H
#define TSW_BPF_POLICY_WHO_H

#include "core/fdb.h"
#include "core/net.h"
#include "core/owner.h"
#include "gateway/maps.h"
#include "policy/maps.h"

/*
 * Begins an end, without names but any. Field by field: the compiler would build a whole one on the
 * stack, which is nearly full (Linux 6.1).
 */
static __always_inline void policy_end_begin(struct policy_end *end, const struct tsw_mac *mac)
{
	end->mac = *mac;
	end->n = 1;
	end->world = end->own = end->serves = end->all = false;
}

/*
 * Finds the destination by its MAC. For the gateway's MAC it is found by its address: another
 * endpoint of the tenant (port/inter_subnet.h), the gateway itself, or the world. False: nobody is
 * there.
 */
static __noinline bool policy_see_to(struct policy_work *w, __u32 tenant, const struct frame *f)
{
	struct tsw_fdb *at;
	struct tsw_mac owner = {};

	policy_end_begin(&w->to, &f->eth.dst);
	w->to.all = mac_is_group(&f->eth.dst);
	if (w->to.all)
		return true;
	at = fdb_get(tenant, &f->eth.dst);
	if (!at)
		return false;
	if (at->place != TSW_PLACE_GATEWAY)
		return true;
	w->to.serves = addr_is_service(&f->dst);
	w->to.world = !addr_owner(tenant, &f->dst, &owner);
	w->to.own = !w->to.world && mac_equal(&owner, &f->eth.dst);
	w->to.world |= w->to.own;
	w->to.mac = w->to.own ? (struct tsw_mac){} : owner;
	return true;
}

/*
 * Fills in the sender, whose MAC the guard has proved. A frame from the gateway may have any
 * address.
 */
static __always_inline void policy_see_from(struct policy_work *w, const struct frame *f,
					    bool by_gateway)
{
	policy_end_begin(&w->from, &f->eth.src);
	if (by_gateway)
		w->from.mac = (struct tsw_mac){};
	w->from.world = by_gateway;
}

static __always_inline void policy_add(struct policy_end *end, __u16 who)
{
	__u32 n = end->n;

	if (n >= POLICY_WHO)
		return;
	end->who[n] = who;
	end->n = n + 1;
}

static __noinline void policy_groups(__u32 tenant, struct policy_end *end)
{
	struct tsw_fdb_key key = {.tenant = tenant, .mac = end->mac};
	struct tsw_policy_member *member = bpf_map_lookup_elem(&tsw_policy_members, &key);

	for (__u32 i = 0; member && i < TSW_POLICY_MEMBER; i++)
		if (member->group[i])
			policy_add(end, member->group[i]);
}

static __always_inline void policy_see_endpoint(__u32 tenant, struct policy_end *end,
						const struct tsw_mac *mac)
{
	policy_end_begin(end, mac);
	policy_groups(tenant, end);
}

struct policy_cidrs {
	struct tsw_policy_cidr_key key;
	struct policy_end *end;
};

/* Looks up the next shorter CIDR. */
static long policy_cidr(__u32 i, struct policy_cidrs *c)
{
	struct tsw_policy_cidr *cidr = bpf_map_lookup_elem(&tsw_policy_cidrs, &c->key);

	(void)i;
	if (!cidr)
		return 1;
	policy_add(c->end, TSW_POLICY_CIDR | cidr->number);
	c->key.prefix = 8 * sizeof(c->key.tenant) + cidr->length - 1;
	return !cidr->length;
}

/*
 * Finds all CIDRs that contain the address, the longest first, if the end is the world or the
 * address is in a network behind the endpoint.
 */
static __noinline void policy_cidrs(__u32 tenant, struct policy_end *end,
				    const struct tsw_addr *addr)
{
	struct policy_cidrs c = {
		.key = {.prefix = 8 * (sizeof(tenant) + sizeof(*addr)), tenant, *addr}, .end = end};
	struct tsw_behind *behind;

	if (!end->world) {
		behind = bpf_map_lookup_elem(&tsw_prefixes, &c.key); /* like a tsw_prefix_key */
		if (!behind || !mac_equal(&behind->mac, &end->mac))
			return;
	}
	bpf_loop(TSW_POLICY_NESTED, policy_cidr, &c, 0);
}

/* Adds the end's groups, and then its CIDRs. */
static __always_inline void policy_who(__u32 tenant, struct policy_end *end,
				       const struct tsw_addr *addr)
{
	end->n = 1; /* who[0] is any */
	if (!end->world && !end->all)
		policy_groups(tenant, end);
	if (!end->all)
		policy_cidrs(tenant, end, addr);
}

/*
 * Is v4, in the host's byte order, the broadcast address of a network of the tenant or its gateway?
 */
static __noinline bool policy_is_broadcast(__u32 tenant, __u32 v4)
{
	struct tsw_nets *nets = nets_get(tenant);
	struct tsw_gateway *gw = gateway_get(tenant);

	for (__u32 i = 0; nets && i < TSW_NETS; i++)
		if (i < nets->n && net_ends_at(&nets->at[i].prefix, v4))
			return true;
	for (__u32 i = 0; gw && i < TSW_GATEWAY_ADDRS; i++)
		if (i < gw->n_addrs && net_ends_at(&gw->addr[i], v4))
			return true;
	return false;
}

static __always_inline bool policy_is_grouped(const struct policy_end *end)
{
	return !end->world && end->n > 1 && !(end->who[1] & TSW_POLICY_CIDR);
}

#endif
