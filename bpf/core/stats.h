/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of what was forwarded: per CPU, so exact without atomic operations. */
#ifndef TSW_BPF_CORE_STATS_H
#define TSW_BPF_CORE_STATS_H

#include "core/base.h"

TSW_PERCPU_HASH(tsw_stats, __u32, struct tsw_tenant_stats);
TSW_PERCPU_HASH(tsw_host_stats, __u32, struct tsw_host_stats);

static __always_inline void counter_add(struct tsw_counter *c, const struct tsw_counter *add)
{
	c->packets += add->packets;
	c->bytes += add->bytes;
}

static __always_inline struct tsw_tenant_stats *stats_get(__u32 tenant)
{
	return bpf_map_lookup_elem(&tsw_stats, &tenant);
}

static __always_inline void count_local(__u32 tenant, const struct tsw_counter *size)
{
	struct tsw_tenant_stats *s = stats_get(tenant);

	if (s)
		counter_add(&s->count.local, size);
}

static __always_inline void count_gateway(__u32 tenant, const struct tsw_counter *size)
{
	struct tsw_tenant_stats *s = stats_get(tenant);

	if (s)
		counter_add(&s->count.gateway, size);
}

static __always_inline void count_answered(__u32 tenant, const struct tsw_counter *size)
{
	struct tsw_tenant_stats *s = stats_get(tenant);

	if (s)
		counter_add(&s->count.answered, size);
}

static __always_inline struct tsw_host_stats *host_stats_get(__u32 host)
{
	return bpf_map_lookup_elem(&tsw_host_stats, &host);
}

static __always_inline void count_tx(struct tsw_tenant_stats *tenant, struct tsw_host_stats *host,
				     const struct tsw_counter *size, bool slow)
{
	counter_add(&host->tx, size);
	counter_add(&tenant->count.tunnel_tx, size);
	if (slow)
		counter_add(&tenant->count.slow_tx, size);
}

static __always_inline void count_rx(struct tsw_tenant_stats *tenant, __u32 host,
				     const struct tsw_counter *size, bool slow)
{
	struct tsw_host_stats *h = host_stats_get(host);

	if (h)
		counter_add(&h->rx, size);
	counter_add(&tenant->count.tunnel_rx, size);
	if (slow)
		counter_add(&tenant->count.slow_rx, size);
}

#endif
