// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/spell.h"
#include "base/text.h"
#include "object/publish.h"
#include "state/missing.h"
#include "state/resource.h"

static bool is_missing(const struct state *s, const struct state_endpoint *ep)
{
	return state_is_own(s, ep) && !ep->ifindex;
}

size_t state_find_devices(struct state *s, const struct devices *d)
{
	size_t missing = 0, i;

	for (i = 0; i < s->n_endpoints; i++) {
		struct state_endpoint *ep = &s->endpoint[i];

		if (state_is_own(s, ep) && ep->dev[0])
			ep->ifindex = devices_find(d, ep->dev);
		missing += is_missing(s, ep);
	}
	return missing;
}

/* The beginning of a message, which the device's name follows if there is one. */
static const char *why_missing(const struct state_endpoint *ep)
{
	return ep->dev[0] ? "there is no device " : "the file does not name its device";
}

int state_refuse_missing(const struct state *s, size_t missing)
{
	const struct state_endpoint *ep = s->endpoint;

	while (!is_missing(s, ep))
		ep++;
	fail(ENODEV, "tenants[%u].endpoints[%u]: %s%s", s->tenant[ep->tenant].at, ep->at,
	     why_missing(ep), ep->dev[0] ? quoted(ep->dev) : "");
	if (missing > 1)
		fail_more(", and %zu more", missing - 1);
	fail_more("; wait SECONDS waits for devices, missing skip leaves such endpoints out");
	return -ENODEV;
}

static void leave_out_publishes(const struct tsw *t, struct state *s, const struct resources *r)
{
	const struct resource *owner;
	size_t n = 0, i;

	for (i = 0; i < s->n_publishes; i++) {
		const struct state_publish *p = &s->publish[i];

		owner = resources_find_ip(r, p->tenant, &p->spec.to.addr);
		if (owner && !(owner->owner & OWNER_GATEWAY))
			s->publish[n++] = *p;
		else
			note(&t->log,
			     "left out: %s port %u of tenant %s, published to an endpoint that "
			     "is left out",
			     word_protos[p->spec.proto], p->spec.port,
			     quoted(s->tenant[p->tenant].spec.name.s));
	}
	s->n_publishes = n;
}

int state_leave_out_missing(const struct tsw *t, struct state *s)
{
	cleanup_resources struct resources r = {};
	size_t n = 0, i;
	int err;

	for (i = 0; i < s->n_endpoints; i++) {
		const struct state_endpoint *ep = &s->endpoint[i];

		if (!is_missing(s, ep))
			s->endpoint[n++] = *ep;
		else
			note(&t->log, "left out: endpoint %s of tenant %s, %s%s",
			     quoted(ep->name.s), quoted(s->tenant[ep->tenant].spec.name.s),
			     why_missing(ep), ep->dev[0] ? quoted(ep->dev) : "");
	}
	s->n_endpoints = n;
	state_sort_rest(s);
	err = s->n_publishes ? resources_make(s, NULL, &r) : 0;
	if (!err)
		leave_out_publishes(t, s, &r);
	return err;
}

int state_wait_devices(const struct state *s, bool underlay, __u32 seconds, size_t *missing)
{
	const struct tsw_switch_spec *up = &s->host[s->own].up;
	char(*name)[IFNAMSIZ] = calloc(s->n_endpoints + TSW_UNDERLAYS, sizeof(*name));
	size_t n = 0, i;
	int err;

	if (!name)
		return fail_memory();
	for (i = 0; i < s->n_endpoints; i++)
		if (state_is_own(s, &s->endpoint[i]) && s->endpoint[i].dev[0])
			memcpy(name[n++], s->endpoint[i].dev, sizeof(*name));
	for (i = 0; underlay && i < up->dev.n; i++)
		memcpy(name[n++], up->dev.at[i], sizeof(*name));
	err = devices_wait((const char(*)[IFNAMSIZ])name, n, seconds, missing);
	free(name);
	return err;
}

static void know_device(const struct state_endpoint *known, __u32 own, struct state_endpoint *ep)
{
	if (known->host == own)
		memcpy(ep->dev, known->dev, sizeof(ep->dev));
	else if (known->to == own)
		memcpy(ep->dev, known->to_dev, sizeof(ep->dev));
}

void state_know_devices(struct state *s, const struct state *known)
{
	const __u32 own = state_find_host(known, s->host[s->own].spec.name.s);
	const struct state_tenant *tenant;
	struct state_endpoint *ep;
	size_t i, k;
	__u32 found;

	for (i = 0; own != STATE_NONE && i < s->n_endpoints; i++) {
		ep = &s->endpoint[i];
		found = is_missing(s, ep)
				? state_find_tenant(known, s->tenant[ep->tenant].spec.name.s)
				: STATE_NONE;
		if (found == STATE_NONE)
			continue;
		tenant = &known->tenant[found];
		for (k = tenant->first; k < tenant->first + tenant->n; k++)
			if (!strcmp(known->endpoint[k].name.s, ep->name.s))
				know_device(&known->endpoint[k], own, ep);
	}
}
