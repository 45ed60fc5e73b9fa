/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's own settings, and the maps that only the command reads. */
#ifndef TSW_BPF_CORE_CONFIG_H
#define TSW_BPF_CORE_CONFIG_H

#include "core/base.h"

TSW_SINGLE(tsw_config, struct tsw_config);

/* The command alone uses these. They are here so that all maps are made and pinned at once. */
TSW_SINGLE(tsw_totals, struct tsw_totals);
TSW_HASH(tsw_tenant_ids, struct tsw_name, __u32);
TSW_HASH(tsw_host_ids, struct tsw_name, __u32);
TSW_HASH(tsw_descriptions, __u32, struct tsw_description);
TSW_HASH(tsw_shares, __u32, struct tsw_share);
TSW_HASH(tsw_given_up, struct tsw_addr_key, __u64);
TSW_HASH(tsw_peers, struct tsw_peer_key, struct tsw_peer);
TSW_HASH(tsw_publish, struct tsw_publish_key, struct tsw_publish);
TSW_HASH(tsw_uplinks, __u32, struct tsw_uplink);

static __always_inline struct tsw_config *config_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_config, &zero);
}

#endif
