// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switch's program at XDP of the underlay: the cheapest place to drop tunnel
 * frames for this host's tenants that come from no host of the switch. All others,
 * known senders' too, pass on to tsw_from_wire.
 *
 * Maps read: tsw_config tsw_tenants tsw_vteps. Maps written: tsw_drops.
 */
#include <tsw/bpf/drop.h>
#include <tsw/bpf/host.h>
#include <tsw/bpf/tenant.h>
#include <tsw/bpf/vxlan.h>

char _license[] SEC("license") = "GPL";

/* A tunnel frame for one of this host's tenants, from no host, ends here. */
static __always_inline int early_drop(struct xdp_md *xdp, const struct tsw_config *cfg,
				      struct frame_id *id)
{
	struct eth *eth = (void *)(long)xdp->data;
	struct vxlan_outer *v = (void *)(eth + 1);
	struct tsw_addr from;
	__u32 vni;

	if ((void *)(v + 1) > (void *)(long)xdp->data_end || eth->type != bpf_htons(ETH_P_IP) ||
	    !vxlan_is_ours(v, cfg))
		return PASS;
	vni = bpf_ntohl(v->vxlan.vni) >> 8;
	from = addr_from_v4(v->ip.saddr);
	if (!tenant_get(vni) || host_by_vtep(&from))
		return PASS;
	id->tenant = vni;
	id->size.bytes = bpf_xdp_get_buff_len(xdp) - TSW_VXLAN4_OVERHEAD;
	return drop(TSW_DROP_UNKNOWN_HOST);
}

/* SEC "xdp.frags": jumbo frames come in more than one buffer (Linux 5.18). */
SEC("xdp.frags") int tsw_xdp(struct xdp_md *xdp)
{
	struct frame_id id = {.direction = TSW_DIR_FROM_TUNNEL, .size = {.packets = 1}};
	struct tsw_config *cfg = config_get();

	return finish_xdp(&id, cfg ? early_drop(xdp, cfg, &id) : PASS);
}
