// SPDX-License-Identifier: GPL-2.0-only
/* Which objects wait for which: marks, and networks that contain each other. */
#include "state/fate.h"
#include "state/span.h"

static __u8 *mark_of(struct match *endpoint, struct match *gateway, __u32 owner, bool gives)
{
	static _Thread_local __u8 nobody;

	if (owner == OWNER_SWITCH || owner == OWNER_TENANT || owner == STATE_NONE)
		return &nobody;
	if (owner & OWNER_GATEWAY)
		return &(gives ? gateway->gives : gateway->takes)[owner & ~OWNER_GATEWAY];
	return &(gives ? endpoint->gives : endpoint->takes)[owner];
}

__u32 diff_owner_now(const struct diff *d, __u32 owner)
{
	__u32 have;

	if (owner == OWNER_SWITCH || owner == OWNER_TENANT)
		return owner;
	if (!(owner & OWNER_GATEWAY))
		return d->endpoint.have[owner];
	have = d->gateway.have[owner & ~OWNER_GATEWAY];
	return have == STATE_NONE ? STATE_NONE : OWNER_GATEWAY | have;
}

void diff_exchange(struct diff *d, __u32 gives, __u32 takes)
{
	*mark_of(&d->endpoint, &d->gateway, gives, true) = 1;
	*mark_of(&d->endpoint, &d->gateway, takes, false) = 1;
}

/* The gateway of tenant I in S, which OTHER matches with it; NULL: not in both states. */
static const struct tsw_gateway_spec *matched(const struct state *s, const __u32 *other, __u32 i)
{
	return other[i] == STATE_NONE ? NULL : &s->tenant[other[i]].gateway.spec;
}

/* A network leaves the outside with its owner, or because the gateway gets NAT; and the reverse. */
static void mark_outside(struct diff *d, const struct span *have, const struct span *want)
{
	const struct tsw_gateway_spec *then = matched(d->want, d->gateway.want, have->tenant);
	const struct tsw_gateway_spec *now = matched(d->have, d->gateway.have, want->tenant);

	if (d->tenant.want[have->tenant] == want->tenant)
		return;
	diff_exchange(d, have->owner, diff_owner_now(d, want->owner));
	if (then && then->nat)
		diff_exchange(d, OWNER_GATEWAY | have->tenant, STATE_NONE);
	if (now && now->nat)
		diff_exchange(d, STATE_NONE, OWNER_GATEWAY | d->gateway.have[want->tenant]);
}

static int mark(void *context, const struct span *a, const struct span *b)
{
	const struct span *have = a->want ? b : a, *want = a->want ? a : b;
	struct diff *d = context;
	const __u32 now = diff_owner_now(d, want->owner);

	if (a->want == b->want)
		return 0;
	if (have->kind == SPAN_OUTSIDE)
		mark_outside(d, have, want);
	else if (have->owner != now)
		diff_exchange(d, have->owner, now);
	/* If the tenant gives up its network only after the endpoint could get it, that waits. */
	if (have->owner == OWNER_TENANT && now != STATE_NONE &&
	    fate_tenant_is_late(d, have->tenant))
		diff_exchange(d, now, STATE_NONE);
	return 0;
}

int diff_mark_networks(struct diff *d)
{
	const bool behind = spans_any_behind(d->have) || spans_any_behind(d->want);
	cleanup_spans struct spans l = {};
	int err = spans_add(&l, d->have, d->tenant.want, false, behind);

	err = err ?: spans_add(&l, d->want, NULL, true, behind);
	return err ?: spans_clash(&l, mark, d);
}
