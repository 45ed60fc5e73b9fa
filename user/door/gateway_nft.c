// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "door/gateway_nft.h"
#include "base/text.h"

static const char *const snat_maps[TSW_FAMILIES] = {"snat4", "snat6"};

static json_t *own_mark(const struct tsw_gateway *gw)
{
	return nft_mark(TSW_MARK_TENANT | gw->index);
}

/* One call for `put` and `drop`: what a gateway has whatever its words say. */
static void each_of_tenant(struct nft_change *c, const struct tsw_gateway *gw,
			   void (*fn)(struct nft_change *, const char *, json_t *, json_t *))
{
	fn(c, "zones", nft_number(gw->index), nft_number(gw->index));
	fn(c, "flows", nft_concat(own_mark(gw), own_mark(gw), NULL), NULL);
	fn(c, "initiators", own_mark(gw), own_mark(gw));
}

static bool is_hidden(const struct tsw_gateway *gw)
{
	return gw && gw->flags & TSW_GATEWAY_NAT;
}

/* The chain asks for snat first: `hidden` is for the family that has none. */
void gateway_nft_put(struct nft_change *c, const struct tsw_gateway *gw)
{
	int family;

	if (!gw->index)
		return;
	each_of_tenant(c, gw, nft_put);
	if (is_hidden(gw))
		nft_put(c, "hidden", own_mark(gw), NULL);
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&gw->snat[family]))
			nft_put(c, snat_maps[family], own_mark(gw), nft_addr(&gw->snat[family]));
}

void gateway_nft_drop(struct nft_change *c, const struct tsw_gateway *old,
		      const struct tsw_gateway *want)
{
	int family;

	if (!old->index)
		return;
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&old->snat[family]) &&
		    !(want && addr_equal(&old->snat[family], &want->snat[family])))
			nft_drop(c, snat_maps[family], own_mark(old), nft_addr(&old->snat[family]));
	if (is_hidden(old) && !is_hidden(want))
		nft_drop(c, "hidden", own_mark(old), NULL);
	if (!want)
		each_of_tenant(c, old, nft_drop);
}

int gateway_nft_commit_put(struct nft_change *c)
{
	int err = nft_commit(c);

	if (err == -ENOENT)
		fail_more("; somebody took away the switch's nftables table: tsw switch repair "
			  "puts it back");
	return err;
}

int gateway_nft_commit_drop(struct nft_change *c)
{
	int err = nft_commit(c);

	return err == -ENOENT ? 0 : err;
}
