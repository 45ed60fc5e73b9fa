/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Networks and addresses of states, of which one may contain another. Within a tenant a network
 * behind an endpoint clashes with what others have in it. Outside, networks of tenants without NAT
 * clash with each other.
 */
#ifndef TSW_STATE_SPAN_H
#define TSW_STATE_SPAN_H

#include "state/resource.h"

enum span_kind {
	SPAN_BEHIND, /* a network behind an endpoint: first, before equal ones of other kinds */
	SPAN_OUTSIDE,
	SPAN_OWN, /* a network of the tenant itself or of its gateway */
	SPAN_IP,
	SPAN_VIP,
};

struct span {
	__u32 scope;		     /* the tenant; of SPAN_OUTSIDE a number that no tenant has */
	struct tsw_prefix at, given; /* GIVEN: as it stands there, with a host part */
	__u8 kind;		     /* enum span_kind */
	bool want;		     /* of the wanted state */
	__u32 tenant;		     /* index in its state */
	__u32 owner;
};

/* Begins as zeros. */
struct spans {
	struct span *all;
	size_t n;
};

void spans_free(struct spans *l);
#define cleanup_spans __attribute__((cleanup(spans_free)))

/*
 * Adds those of a state; SCOPE as of resources_make(). Without BEHIND only networks that are seen
 * outside: no endpoint has a network behind it.
 */
int spans_add(struct spans *l, const struct state *s, const __u32 *scope, bool want, bool behind);

/* Has any endpoint a network behind it? */
bool spans_any_behind(const struct state *s);

/* Sorts L, and calls FN for each two that cannot be at once: A is equal to B or contains it. */
typedef int span_clash(void *context, const struct span *a, const struct span *b);
int spans_clash(struct spans *l, span_clash *fn, void *context);

#endif
