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

/* The tenant of a tunnel frame for this host, and its sender; 0: not one of ours. */
static __always_inline __u32 early_tenant(struct xdp_md *xdp, const struct tsw_config *cfg,
					  struct tsw_addr *from)
{
	struct vxlan_frame *v = (void *)(long)xdp->data;
	__u32 vni;

	if ((void *)&v->inner > (void *)(long)xdp->data_end ||
	    v->outer.type != bpf_htons(ETH_P_IP) || v->v.ip.version != 4 || v->v.ip.ihl != 5 ||
	    v->v.ip.protocol != IPPROTO_UDP || v->v.ip.daddr != cfg->local.w[3] ||
	    v->v.udp.dest != cfg->port ||
	    v->v.ip.frag_off & bpf_htons(IPV4_OFFSET | IPV4_MORE_FRAGMENTS))
		return 0;
	*from = addr_from_v4(v->v.ip.saddr);
	vni = bpf_ntohl(v->v.vxlan.vni) >> 8;
	return tenant_get(vni) ? vni : 0;
}

/* SEC "xdp.frags": jumbo frames come in more than one buffer (Linux 5.18). */
SEC("xdp.frags") int tsw_xdp(struct xdp_md *xdp)
{
	struct frame_id id = {.direction = TSW_DIR_FROM_TUNNEL, .size = {.packets = 1}};
	struct tsw_config *cfg = config_get();
	struct tsw_addr from;

	if (!cfg)
		return XDP_PASS;
	id.tenant = early_tenant(xdp, cfg, &from);
	if (!id.tenant || host_by_vtep(&from))
		return XDP_PASS;
	id.size.bytes = bpf_xdp_get_buff_len(xdp) - TSW_VXLAN4_OVERHEAD;
	count_drop(&id, TSW_DROP_UNKNOWN_HOST);
	return XDP_DROP;
}
