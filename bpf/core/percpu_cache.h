/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of what each frame to or from another host needs of its tenant and that host. They lie
 * beside the counters, which are written anyway, and save four look-ups.
 *
 * A copy that was read while a command was at work has an older generation when the command ends.
 * No copy is good for more than a few jiffies, so a killed command's leftovers are soon gone.
 */
#ifndef TSW_BPF_CORE_PERCPU_CACHE_H
#define TSW_BPF_CORE_PERCPU_CACHE_H

#include "core/addr.h"
#include "core/config.h"
#include "core/host.h"
#include "core/stats.h"
#include "core/tenant.h"

#define CACHE_JIFFIES 4 /* 4 to 40 ms */

static __always_inline bool cache_holds(const struct tsw_cached *cached,
					const struct tsw_config *cfg)
{
	return cached->until > bpf_jiffies64() && cached->generation == cfg->generation;
}

/* Notes the generation before the original is read. */
static __always_inline void cache_begin(struct tsw_cached *cached, const struct tsw_config *cfg)
{
	cached->until = 0;
	cached->generation = *(const volatile __u32 *)&cfg->generation;
}

static __always_inline void cache_end(struct tsw_cached *cached, __u32 mtu)
{
	cached->mtu = mtu;
	cached->until = bpf_jiffies64() + CACHE_JIFFIES;
}

/* NULL: there is no such tenant. */
static __always_inline struct tsw_tenant_stats *tenant_cached(__u32 id,
							      const struct tsw_config *cfg)
{
	struct tsw_tenant_stats *stats = stats_get(id);
	const struct tsw_tenant *tenant;

	if (!stats || cache_holds(&stats->tenant.cached, cfg))
		return stats;
	cache_begin(&stats->tenant.cached, cfg);
	tenant = tenant_get(id);
	if (!tenant)
		return NULL;
	stats->tenant.encap = tenant->encap;
	stats->tenant.from = 0;
	cache_end(&stats->tenant.cached, tenant->mtu);
	return stats;
}

/* Index of the host whose VTEP sent a frame to this tenant; 0: no host has this address. */
static __always_inline __u32 host_from(struct tsw_tenant_stats *stats, const struct tsw_addr *addr)
{
	struct tsw_cached_tenant *tenant = &stats->tenant;

	if (tenant->from && addr_equal(&tenant->from_addr, addr))
		return tenant->from;
	tenant->from = 0; /* while only one is written */
	tenant->from_addr = *addr;
	return tenant->from = host_by_vtep(addr);
}

/* Without a comparison, after which the verifier would go through everything that follows twice. */
static __always_inline __u32 cache_encrypt(const struct tsw_host *host,
					   const struct tsw_config *cfg)
{
	_Static_assert(TSW_HOST_CLEAR == 1 && TSW_CFG_ENCRYPT == 1U << 7, "moved by bits here");
	return (cfg->flags >> 7 & ~(__u32)host->flags) << 31;
}

/* NULL: there is no such host, or it is half-made. */
static __always_inline struct tsw_host_stats *host_cached(__u32 id, const struct tsw_config *cfg)
{
	struct tsw_host_stats *stats = host_stats_get(id);
	const struct tsw_host *host;

	if (!stats || cache_holds(&stats->host.cached, cfg))
		return stats;
	cache_begin(&stats->host.cached, cfg);
	host = host_get(id);
	if (!host)
		return NULL;
	/* These are not compared, either. */
	stats->host.family = host->family & 1;
	stats->host.addr = host->addr[host->family & 1];
	stats->host.flags = host->flags | cache_encrypt(host, cfg);
	cache_end(&stats->host.cached, host->mtu);
	return stats;
}

#endif
