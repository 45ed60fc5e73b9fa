// SPDX-License-Identifier: GPL-2.0-only
/* Claims on addresses that several endpoints of a tenant may take. */
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "record/endpoint_find.h"
#include "rules/rules.h"

int claims_taken(const struct holder *h, const char *what, const char *text, const char *owner)
{
	if (!strcmp(owner, CLAIMS_VIP))
		return rule_taken(h->tenant, what, text, " as a vip");
	return rule_taken(h->tenant, what, text,
			  rule_owner_text(strcmp(owner, CLAIMS_GATEWAY) ? owner : NULL));
}

/* The index of NAME in the array, or its size. */
static size_t find(const json_t *members, const char *name)
{
	const json_t *member;
	size_t i;

	json_array_foreach(members, i, member)
		if (json_is_string(member) && !strcmp(json_string_value(member), name))
			break;
	return i;
}

/* Adds the holder to the claim's members if the address is WANTED, or else removes it. */
static int change_one(struct change *c, const struct holder *h, const struct seen *seen,
		      const struct tsw_addr *addr, bool wanted)
{
	char owner[CHANGE_TEXT];
	json_t *members;
	size_t at;

	claim_read(seen->value, owner, NULL);
	if (seen->value && strcmp(owner, CLAIMS_VIP) != 0)
		return wanted ? claims_taken(h, "address", addr_text(addr), owner) : 0;
	members = claim_members(seen->value);
	at = find(members, h->owner);
	if ((at < json_array_size(members)) == wanted) {
		json_decref(members);
		return 0;
	}
	if (wanted)
		json_array_append_new(members, json_string(h->owner));
	else
		json_array_remove(members, at);
	if (json_array_size(members)) {
		change_share(c, seen->key, CLAIMS_VIP, members, seen->modified);
		return 0;
	}
	json_decref(members);
	change_del(c, seen->key, seen->modified);
	return 0;
}

/*
 * Changes the claims on the vips of OF, which are the holder's present or wanted ones. Vips that
 * OTHERS, unless it is NULL, lists as wanted keep their claims.
 */
static int change_all(const struct records *r, struct change *c, const struct holder *h,
		      const struct holding *of, const struct holding *others)
{
	const bool wanted = of == h->want;
	cleanup_look struct look look = {};
	__u32 i;
	int err;

	for (i = 0; i < of->vip.n; i++)
		look_at(&look, r, "ip/%u/%s", h->id, addr_text(&of->vip.at[i]));
	err = of->vip.n ? look_read(r, &look) : 0;
	for (i = 0; !err && i < of->vip.n; i++)
		if (wanted || !others || !vips_have(&others->vip, &of->vip.at[i]))
			err = change_one(c, h, &look.at[i], &of->vip.at[i], wanted);
	return err;
}

int claims_add_vips(const struct records *r, struct change *c, const struct holder *h)
{
	int err = h->want ? change_all(r, c, h, h->want, NULL) : 0;

	return !err && h->have ? change_all(r, c, h, h->have, h->want) : err;
}
