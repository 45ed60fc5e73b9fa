// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/spell.h"
#include "base/text.h"
#include "record/plugin.h"
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

bool state_lacks_remade(const struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_endpoints; i++)
		if (is_missing(s, &s->endpoint[i]) && plugin_device(s->endpoint[i].dev))
			return true;
	return false;
}

/* ---- leaving out ------------------------------------------------------------------ */

/* What becomes of an endpoint or of a port published to it. */
enum outcome { HERE, LATE, OUT, REMADE };

static enum outcome outcome_of(const struct state *s, const struct state_endpoint *ep,
			       const struct state_late *late)
{
	if (!is_missing(s, ep))
		return HERE;
	if (plugin_device(ep->dev))
		return REMADE;
	return late && ep->dev[0] ? LATE : OUT;
}

static void note_endpoint(const struct tsw *t, const struct state *s,
			  const struct state_endpoint *ep)
{
	note(&t->log, "left out: endpoint %s of tenant %s, %s%s", quoted(ep->name.s),
	     quoted(s->tenant[ep->tenant].spec.name.s), why_missing(ep),
	     ep->dev[0] ? quoted(ep->dev) : "");
}

static void note_publish(const struct tsw *t, const struct state *s, const struct state_publish *p)
{
	note(&t->log,
	     "left out: %s port %u of tenant %s, published to an endpoint that is left out",
	     word_protos[p->spec.proto], p->spec.port, quoted(s->tenant[p->tenant].spec.name.s));
}

/* Appends elements that were set aside to the N that stay. Returns how many they are. */
static size_t put_behind(void *all, size_t n, void *aside, size_t n_aside, size_t size)
{
	memcpy((char *)all + n * size, aside, n_aside * size);
	free(aside);
	return n_aside;
}

static int part_publishes(const struct tsw *t, struct state *s, struct state_late *late)
{
	struct state_publish *aside = calloc(s->n_publishes + 1, sizeof(*aside));
	cleanup_resources struct resources r = {};
	const struct resource *owner;
	size_t n = 0, n_late = 0, i;
	int err = aside ? resources_make(s, NULL, &r) : fail_memory();

	for (i = 0; !err && i < s->n_publishes; i++) {
		const struct state_publish *p = &s->publish[i];
		enum outcome outcome = OUT;

		owner = resources_find_ip(&r, p->tenant, &p->spec.to.addr);
		if (owner && !(owner->owner & OWNER_GATEWAY))
			outcome = outcome_of(s, &s->endpoint[owner->owner], late);
		if (outcome == HERE)
			s->publish[n++] = *p;
		else if (outcome == LATE)
			aside[n_late++] = *p;
		else if (outcome == OUT)
			note_publish(t, s, p);
	}
	if (err) {
		free(aside);
		return err;
	}
	s->n_publishes = n;
	n_late = put_behind(s->publish, n, aside, n_late, sizeof(*aside));
	if (late)
		late->publishes = n_late;
	return 0;
}

static int part_endpoints(const struct tsw *t, struct state *s, struct state_late *late)
{
	struct state_endpoint *aside = calloc(s->n_endpoints + 1, sizeof(*aside));
	size_t n = 0, n_late = 0, remade = 0, i;
	char first[3 * TSW_NAME_LEN] = "";

	if (!aside)
		return fail_memory();
	for (i = 0; i < s->n_endpoints; i++) {
		const struct state_endpoint *ep = &s->endpoint[i];
		const enum outcome outcome = outcome_of(s, ep, late);

		if (outcome == REMADE && !remade++)
			snprintf(first, sizeof(first), "%s", quoted(ep->name.s));
		if (outcome == HERE)
			s->endpoint[n++] = *ep;
		else if (outcome == LATE)
			aside[n_late++] = *ep;
		else if (outcome == OUT)
			note_endpoint(t, s, ep);
	}
	if (remade)
		note(&t->log,
		     "left out: endpoint %s and %zu more of containers that are gone; their "
		     "runtime has them made anew",
		     first, remade - 1);
	s->n_endpoints = n;
	n_late = put_behind(s->endpoint, n, aside, n_late, sizeof(*aside));
	if (late)
		late->endpoints = n_late;
	state_sort_rest(s);
	return 0;
}

int state_leave_out_missing(const struct tsw *t, struct state *s, struct state_late *late)
{
	int err = part_publishes(t, s, late); /* finds the endpoints that own addresses */

	return err ?: part_endpoints(t, s, late);
}

void state_give_up_late(const struct tsw *t, const struct state *s, struct state_late *late)
{
	size_t i;

	for (i = 0; i < late->endpoints; i++)
		note_endpoint(t, s, &s->endpoint[s->n_endpoints + i]);
	for (i = 0; i < late->publishes; i++)
		note_publish(t, s, &s->publish[s->n_publishes + i]);
	*late = (struct state_late){};
}

/* ---- waiting ---------------------------------------------------------------------- */

int state_wait(const struct state *s, bool underlay, size_t from, size_t end, size_t enough,
	       __u64 until)
{
	const struct tsw_switch_spec *up = &s->host[s->own].up;
	char(*name)[IFNAMSIZ] = calloc(end - from + TSW_UNDERLAYS, sizeof(*name));
	size_t n = 0, i;
	int err;

	if (!name)
		return fail_memory();
	for (i = from; i < end; i++)
		if (state_is_own(s, &s->endpoint[i]) && s->endpoint[i].dev[0])
			memcpy(name[n++], s->endpoint[i].dev, sizeof(*name));
	for (i = 0; underlay && i < up->dev.n; i++)
		memcpy(name[n++], up->dev.at[i], sizeof(*name));
	err = devices_wait((const char(*)[IFNAMSIZ])name, n, enough, until);
	free(name);
	return err;
}

/* ---- taking ----------------------------------------------------------------------- */

static void take_publishes(struct state *s, struct state_late *late,
			   const struct state_endpoint *ep)
{
	size_t end = s->n_publishes + late->publishes, i;

	for (i = s->n_publishes; i < end; i++) {
		const struct state_publish p = s->publish[i];

		if (ep->tenant != p.tenant || !state_has_ip(s, ep, &p.spec.to.addr))
			continue;
		s->publish[i] = s->publish[s->n_publishes];
		s->publish[s->n_publishes++] = p;
		late->publishes--;
	}
}

/* Indices below the lists' numbers stay, as changes have them. */
int state_take_late(struct state *s, struct state_late *late)
{
	cleanup_devices struct devices devices = {};
	size_t end = s->n_endpoints + late->endpoints, i;
	int err = devices_read(&devices);

	for (i = s->n_endpoints; !err && i < end; i++) {
		struct state_endpoint ep = s->endpoint[i];

		ep.ifindex = devices_find(&devices, ep.dev);
		if (!ep.ifindex)
			continue;
		s->endpoint[i] = s->endpoint[s->n_endpoints];
		s->endpoint[s->n_endpoints++] = ep;
		late->endpoints--;
		take_publishes(s, late, &ep);
	}
	return err;
}

/* ---- names of before -------------------------------------------------------------- */

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
