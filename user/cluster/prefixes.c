// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/prefixes.h"
#include "record/endpoint_find.h"
#include "record/prefix_find.h"
#include "rules/rules.h"

#define NET_KEY "net/%u/%s"

/* ---- reading ---------------------------------------------------------------------- */

struct reading {
	struct prefixes *p;
	size_t begin; /* octets of a key before the network */
};

/* Ignores an invalid claim, which `tsw -c check` reports. */
static int take(void *context, const struct etcd_entry *entry)
{
	const struct reading *reading = context;
	struct claimed its = {.modified = entry->modified};
	char owner[CHANGE_TEXT];

	claim_read(entry->value, owner, NULL);
	if (strlen(owner) >= sizeof(its.owner.s) ||
	    parse_network(entry->key + reading->begin, &its.prefix))
		return 0;
	memcpy(its.owner.s, owner, strlen(owner));
	return list_append(&reading->p->all, &reading->p->n, &its, sizeof(its));
}

int prefixes_read(const struct records *r, __u32 id, struct prefixes *p)
{
	struct reading reading = {p, 0};
	char begin[MEMBER_KEY];

	record_key(r, begin, "net/%u/", id);
	reading.begin = strlen(begin);
	return records_each(r, &p->revision, take, &reading, "net/%u/", id);
}

void prefixes_end(struct prefixes *p)
{
	free(p->all);
	*p = (struct prefixes){};
}

const struct claimed *prefixes_around(const struct prefixes *p, const struct tsw_addr *addr)
{
	size_t i;

	for (i = 0; p && i < p->n; i++)
		if (prefix_has(&p->all[i].prefix, addr))
			return &p->all[i];
	return NULL;
}

void prefixes_keep(const struct records *r, struct change *c, __u32 id, const struct prefixes *p)
{
	const struct record_range range = record_range(r, "net/%u/", id);

	change_unchanged(c, range.key, range.end, p ? p->revision : 0);
}

int prefixes_refuse_own(const struct prefixes *p, const struct tsw_prefix *net, __u32 n)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < p->n; i++)
		err = rule_prefix_own(&p->all[i].prefix, net, n);
	return err;
}

/* ---- refusals of overlaps --------------------------------------------------------- */

static int refuse(const struct holder *h, const struct tsw_prefix *prefix, const char *what,
		  const char *text, const char *owner)
{
	if (!strcmp(owner, CLAIMS_VIP))
		return rule_prefix_taken(prefix, h->tenant, "vip", text, "");
	return rule_prefix_taken(prefix, h->tenant, what, text,
				 rule_owner_text(strcmp(owner, CLAIMS_GATEWAY) ? owner : NULL));
}

static bool is_new(const struct holder *h, const struct tsw_prefix *prefix)
{
	return !h->have || !prefixes_have(&h->have->prefix, prefix);
}

/* Does the claim on a vip list the holder alone? If the vip stays, add_one() refuses it. */
static bool is_sole(const struct holder *h, const char *value)
{
	json_t *members = claim_members(value);
	const char *name = json_string_value(json_array_get(members, 0));
	const bool sole = json_array_size(members) == 1 && name && !strcmp(name, h->owner);

	json_decref(members);
	return sole;
}

/* Refuses another endpoint's address that is in a new prefix. */
static int check_address(void *context, const struct etcd_entry *entry)
{
	const struct holder *h = context;
	char owner[CHANGE_TEXT];
	struct tsw_addr addr;
	__u32 i;

	claim_read(entry->value, owner, NULL);
	if (parse_ip(record_name(entry->key), &addr) || !strcmp(owner, h->owner) ||
	    (!strcmp(owner, CLAIMS_VIP) && is_sole(h, entry->value)))
		return 0;
	for (i = 0; i < h->want->prefix.n; i++)
		if (is_new(h, &h->want->prefix.at[i]) && prefix_has(&h->want->prefix.at[i], &addr))
			return refuse(h, &h->want->prefix.at[i], "address", addr_text(&addr),
				      owner);
	return 0;
}

/* Also adds the condition that no address of the tenant was claimed since it was read. */
static int check_addresses(const struct records *r, struct change *c, const struct holder *h)
{
	const struct record_range range = record_range(r, "ip/%u/", h->id);
	__s64 revision = 0;
	int err = records_each(r, &revision, check_address, (void *)h, "ip/%u/", h->id);

	change_unchanged(c, range.key, range.end, revision);
	return err;
}

static int add_one(const struct records *r, struct change *c, const struct holder *h,
		   const struct tsw_prefix *prefix)
{
	char key[MEMBER_KEY];
	__s64 modified = 0;
	size_t i;
	__u32 k;

	for (k = 0; k < h->want->vip.n; k++)
		if (prefix_has(prefix, &h->want->vip.at[k]))
			return refuse(h, prefix, "", addr_text(&h->want->vip.at[k]), CLAIMS_VIP);
	for (i = 0; h->prefixes && i < h->prefixes->n; i++) {
		const struct claimed *its = &h->prefixes->all[i];

		if (!prefix_overlap(&its->prefix, prefix))
			continue;
		if (strcmp(its->owner.s, h->owner) != 0)
			return refuse(h, prefix, "prefix", prefix_text(&its->prefix), its->owner.s);
		if (its->prefix.len == prefix->len)
			modified = its->modified;
	}
	if (modified && !is_new(h, prefix))
		return 0;
	record_key(r, key, NET_KEY, h->id, prefix_text(prefix));
	change_claim(c, key, h->owner, modified, CLAIM_GIVEN);
	return 0;
}

static bool has(const struct holding *of, const struct tsw_addr *addr)
{
	return of && (addr_list_has(&of->ip, addr) || vips_have(&of->vip, addr));
}

/* Refuses a new address that is in another endpoint's prefix. */
static int check_new(const struct holder *h, const struct tsw_addr *addr, bool *news)
{
	const struct claimed *around = prefixes_around(h->prefixes, addr);

	if (has(h->have, addr))
		return 0;
	*news = true;
	return around && strcmp(around->owner.s, h->owner) != 0
		       ? claims_taken(h, "address", addr_text(addr), around->owner.s)
		       : 0;
}

static int add_wanted(const struct records *r, struct change *c, const struct holder *h)
{
	const struct holding *want = h->want;
	bool news = false, networks = false;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < want->ip.n; i++)
		err = check_new(h, &want->ip.at[i], &news);
	for (i = 0; !err && i < want->vip.n; i++)
		err = check_new(h, &want->vip.at[i], &news);
	for (i = 0; !err && i < want->prefix.n; i++) {
		networks |= is_new(h, &want->prefix.at[i]);
		err = add_one(r, c, h, &want->prefix.at[i]);
	}
	if (!err && networks)
		err = check_addresses(r, c, h);
	if (news || networks)
		prefixes_keep(r, c, h->id, h->prefixes);
	return err;
}

/* ---- the change -------------------------------------------------------------------- */

int claims_add_prefixes(const struct records *r, struct change *c, const struct holder *h)
{
	cleanup_look struct look look = {};
	size_t i;
	int err = h->want ? add_wanted(r, c, h) : 0;

	for (i = 0; h->have && i < h->have->prefix.n; i++)
		if (!h->want || !prefixes_have(&h->want->prefix, &h->have->prefix.at[i]))
			look_at(&look, r, NET_KEY, h->id, prefix_text(&h->have->prefix.at[i]));
	err = err ?: look.n ? look_read(r, &look) : 0;
	for (i = 0; !err && i < look.n; i++)
		if (claim_is_of(look.at[i].value, h->owner))
			change_del(c, look.at[i].key, look.at[i].modified);
	return err;
}
