/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash of values that tenants choose. Its key is the switch's two secrets. */
#ifndef TSW_BPF_CORE_HASH_KEYED_H
#define TSW_BPF_CORE_HASH_KEYED_H

#include "core/config.h"
#include <tsw/places.h>

/* Global: the verifier goes through it once. */
__noinline __u64 tsw_hash(const struct tsw_hash_input *in)
{
	const struct tsw_config *cfg = config_get();

	return cfg && in ? tsw_siphash(cfg->secret, cfg->pass, in) : 0;
}

#endif
