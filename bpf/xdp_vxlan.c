// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switch's programs at XDP of the underlay, the cheapest place to drop tunnel frames for
 * this host's tenants that come from no host of the switch.
 *
 * tsw_xdp_native   in the driver: also takes the outer headers off, of each encapsulation, so that
 *                  GRO then sees the inner flow; tsw_from_wire guards and delivers what it
 *                  passes on.
 * tsw_xdp_generic  behind GRO, where a super-frame cannot be decapsulated: drops only.
 * tsw_xdp_pass     at an endpoint's device, not the underlay: lets all pass.
 *
 * Their maps: docs/architecture.md, Maps.
 */
#include "core/drop.h"
#include "core/host.h"
#include "core/tenant.h"
#include "watch/watchers.h"
#include "tunnel/xdp_meta.h"

char _license[] SEC("license") = "GPL";

#define xdp_data(xdp) TSW_BOUND(xdp, struct xdp_md, data)
#define xdp_data_end(xdp) TSW_BOUND(xdp, struct xdp_md, data_end)

/*
 * NEXT: a tunnel frame of a tenant of this host. Headers that are cut off in the first buffer may
 * continue in the next one. tsw_from_wire sees them whole.
 */
static __always_inline int parse(struct xdp_md *xdp, const struct tsw_config *cfg, struct tunnel *t)
{
	struct eth *eth = xdp_data(xdp);

	if ((void *)(eth + 1) > xdp_data_end(xdp) ||
	    outer_parse(eth + 1, xdp_data_end(xdp), eth->type, cfg, t) != NEXT)
		return PASS;
	if (!tenant_get(t->tenant)) {
		if (!t->tenant && host_by_vtep(&t->from))
			return PASS; /* a probe, see tunnel/probe.h, that tsw_from_wire answers */
		t->tenant = 0;
		return outer_of_nobody(cfg, t);
	}
	t->host = host_by_vtep(&t->from);
	return NEXT;
}

/*
 * Can the frame be decapsulated here? tsw_from_wire handles all unusual frames, checksums and
 * options, and frames whose inner Ethernet header is not in the first buffer, where the kernel
 * reads it.
 */
static __always_inline bool is_plain(struct xdp_md *xdp, const struct tunnel *t)
{
	const __u32 first = xdp_data_end(xdp) - xdp_data(xdp);

	return !t->odd && t->sound && !t->has_csum && t->udp_fits && !outer_has_options(t) &&
	       first >= ETH_HLEN + t->inner + ETH_HLEN &&
	       bpf_xdp_get_buff_len(xdp) == ETH_HLEN + t->end && t->end >= t->inner + ETH_HLEN;
}

/*
 * Takes the outer headers off and writes the metadata. A frame that fails half-way must be dropped.
 */
static __always_inline int decapsulate(struct xdp_md *xdp, const struct tsw_config *cfg,
				       const struct tunnel *t)
{
	struct xdp_meta *meta;
	struct eth *eth;

	/* First, because a driver may not support it. */
	if (bpf_xdp_adjust_meta(xdp, -(int)sizeof(*meta)))
		return PASS;
	if (bpf_xdp_adjust_head(xdp, ETH_HLEN + t->inner))
		return drop(TSW_DROP_INTERNAL);
	meta = TSW_BOUND(xdp, struct xdp_md, data_meta);
	eth = xdp_data(xdp);
	if ((void *)(meta + 1) > xdp_data(xdp) || (void *)(eth + 1) > xdp_data_end(xdp))
		return drop(TSW_DROP_INTERNAL);
	xdp_meta_put(meta, cfg, t, eth);
	return PASS;
}

/* Watchers see the frame as it came, and the inner frame again in tsw_from_wire. */
__noinline int tsw_xdp_watch_in(struct xdp_md *xdp, struct frame_id *id, const struct eth *eth)
{
	struct tsw_event event = {.point = TSW_POINT_IN,
				  .ifindex = xdp->ingress_ifindex,
				  .length = bpf_xdp_get_buff_len(xdp)};

	if (id && eth)
		watch_in(xdp, id, eth, &event);
	return 0;
}

__noinline int tsw_xdp_watch_drop(struct xdp_md *xdp, const struct frame_id *id, __u32 reason)
{
	__u32 slots = id ? watch_drop_slots(id) : 0;

	if (id && slots) {
		struct tsw_event event = {.point = TSW_POINT_DROP,
					  .reason = reason,
					  .ifindex = xdp->ingress_ifindex,
					  .length = bpf_xdp_get_buff_len(xdp)};

		watch_report(xdp, id, slots, &event);
	}
	return 0;
}

static __always_inline void watch_begin(struct xdp_md *xdp, struct frame_id *id,
					const struct tunnel *t)
{
	struct tsw_watch *watch = watch_get();
	struct eth eth;

	if (watch && watch->frames &&
	    !bpf_xdp_load_bytes(xdp, ETH_HLEN + t->inner, &eth, sizeof(eth)))
		tsw_xdp_watch_in(xdp, id, &eth);
}

static __always_inline int dropped(struct xdp_md *xdp, const struct frame_id *id, int reason)
{
	struct tsw_watch *watch = watch_get();

	count_drop(id, reason);
	if (watch && watch->drops)
		tsw_xdp_watch_drop(xdp, id, reason);
	return XDP_DROP;
}

static __always_inline int from_wire(struct xdp_md *xdp, struct frame_id *id, bool native)
{
	struct tsw_config *cfg = config_get();
	struct tunnel t = {};
	int verdict;

	if (!cfg ||
	    cfg->flags & TSW_CFG_ENCRYPT) /* tsw_from_wire knows what may come unencrypted */
		return PASS;
	verdict = parse(xdp, cfg, &t);
	id->tenant = t.tenant;
	id->size.bytes = outer_inner_len(bpf_xdp_get_buff_len(xdp), &t);
	if (verdict != NEXT)
		return verdict;
	if (!t.host)
		return drop(TSW_DROP_UNKNOWN_HOST);
	if (!native || !is_plain(xdp, &t))
		return PASS;
	watch_begin(xdp, id, &t);
	return decapsulate(xdp, cfg, &t);
}

static __always_inline int run(struct xdp_md *xdp, bool native)
{
	struct frame_id id = {.direction = TSW_DIR_FROM_TUNNEL, .size = {.packets = 1}};
	int verdict = from_wire(xdp, &id, native);

	return verdict >= 0 ? XDP_PASS : dropped(xdp, &id, -verdict);
}

/* SEC "xdp.frags": jumbo frames come in more than one buffer (Linux 5.18). */
SEC("xdp.frags") int tsw_xdp_native(struct xdp_md *xdp)
{
	return run(xdp, true);
}

SEC("xdp.frags") int tsw_xdp_generic(struct xdp_md *xdp)
{
	return run(xdp, false);
}

/*
 * On the host's end of a veth whose endpoint has `xdp on`. With a program here that end has the
 * ring that frames of XDP_TX and XDP_REDIRECT in the container come by (drivers/net/veth.c).
 */
SEC("xdp.frags") int tsw_xdp_pass(struct xdp_md *xdp)
{
	(void)xdp;
	return XDP_PASS;
}
