// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_ether.h>

#include "base/err.h"
#include "base/spell.h"
#include "rules/rules.h"

int rule_tenant_del(const struct rule_uses *uses)
{
	if (uses->endpoints)
		return fail(EBUSY,
			    "the tenant still has endpoints (%llu); force on deletes them too",
			    uses->endpoints);
	if (uses->gateway)
		return fail(EBUSY, "the tenant still has a gateway; force on deletes it too");
	return 0;
}

int rule_renumber(__u32 old, const struct rule_uses *uses)
{
	if (uses->endpoints)
		return fail(EBUSY, "the tenant has endpoints (%llu), so its id stays %u",
			    uses->endpoints, old);
	if (uses->policy)
		return fail(EBUSY, "the tenant has groups or policies, so its id stays %u", old);
	if (uses->gateway)
		return fail(EBUSY, "the tenant has a gateway, so its id stays %u", old);
	return 0;
}

int rule_tenant_id(__u32 id, __u32 most)
{
	if (id <= most)
		return 0;
	return fail(ERANGE, "its id %u is more than a VNI can be, which is %u: give it another id",
		    id, TSW_VNI_MAX);
}

int rule_mtu(const struct tsw_tenant_spec *spec, __u32 limit)
{
	if (!limit || spec->mtu <= limit)
		return 0;
	return fail(ERANGE, "mtu %u is more than the underlay allows with %s, which is %u",
		    spec->mtu, word_encaps[spec->encap], limit);
}

int rule_burst(const struct tsw_limits *limits, __u32 mtu)
{
	if (!limits->burst || !mtu || limits->burst >= mtu + ETH_HLEN)
		return 0;
	return fail(ERANGE,
		    "burst %u is less than one frame of the tenant, which has up to %u octets",
		    limits->burst, mtu + ETH_HLEN);
}
