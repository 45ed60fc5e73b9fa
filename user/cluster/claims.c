// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "cluster/change.h"
#include "cluster/prefixes.h"

enum { REST_AT_ONCE = 40 }; /* more addresses than these rest by a transaction of their own */

#define IP_KEY "ip/%u/%s"
#define MAC_KEY "mac/%u/%s"

/* Adds the keys of a holding to L: the MAC's, then the addresses'. */
static void look_at_claims(const struct records *r, __u32 id, const struct holding *of,
			   struct look *l)
{
	unsigned int i;

	look_at(l, r, MAC_KEY, id, mac_text(&of->mac));
	for (i = 0; i < of->ip.n; i++)
		look_at(l, r, IP_KEY, id, addr_text(&of->ip.at[i]));
}

static bool has_ip(const struct holding *of, const struct tsw_addr *addr)
{
	return of && addr_list_has(&of->ip, addr);
}

static bool has_mac(const struct holding *of, const struct tsw_mac *mac)
{
	return of && mac_equal(&of->mac, mac);
}

/* ---- conflicts -------------------------------------------------------------------- */

static int refuse(const struct records *r, const struct holder *h, const char *key,
		  const char *owner)
{
	const char *what = record_name(key);
	char mac[MEMBER_KEY];

	record_key(r, mac, MAC_KEY, h->id, what);
	return claims_taken(h, strcmp(key, mac) ? "address" : "MAC", what, owner);
}

int claims_check_free(const struct records *r, __u32 id, const struct tsw_name *tenant,
		      const struct prefixes *prefixes, const struct tsw_addr *addr)
{
	const struct claimed *around = prefixes_around(prefixes, addr);
	const struct holder nobody = {.id = id, .tenant = tenant->s};
	cleanup_look struct look look = {};
	char owner[CHANGE_TEXT];
	int err;

	look_at(&look, r, IP_KEY, id, addr_text(addr));
	err = look_read(r, &look);
	if (err || (!look.at[0].value && !around))
		return err;
	if (around)
		return claims_taken(&nobody, "address", addr_text(addr), around->owner.s);
	claim_read(look.at[0].value, owner, NULL);
	return refuse(r, &nobody, look.at[0].key, owner);
}

/* Did tsw choose the address or MAC whose key is WANTED? -ENOENT: H does not want it. */
static int is_chosen(const struct records *r, const struct holder *h, const char *wanted,
		     bool *chosen)
{
	cleanup_look struct look look = {};
	size_t i;

	look_at_claims(r, h->id, h->want, &look);
	for (i = 0; i < look.n && strcmp(look.at[i].key ?: "", wanted); i++)
		;
	if (i == look.n)
		return -ENOENT;
	*chosen = i ? h->chosen_ip & 1ULL << (i - 1) : h->chosen_mac;
	return 0;
}

int claims_refuse(const struct records *r, void *context, const struct change *c)
{
	const struct holder *h = context;
	bool chosen;

	/* Its own claim is left from an earlier change: the next try reads it and takes it over. */
	if (!h->want || is_chosen(r, h, c->key, &chosen) || chosen || !strcmp(c->owner, h->owner))
		return -EAGAIN;
	return refuse(r, h, c->key, c->owner);
}

/* ---- claims that go --------------------------------------------------------------- */

/* Claims that are not wanted any more: first those on addresses, then the one on the MAC. */
struct fewer {
	struct look look;
	size_t n_ips;
};

static void find_fewer(const struct records *r, const struct holder *h, struct fewer *f)
{
	unsigned int i;

	for (i = 0; h->have && i < h->have->ip.n; i++)
		if (!has_ip(h->want, &h->have->ip.at[i]))
			look_at(&f->look, r, IP_KEY, h->id, addr_text(&h->have->ip.at[i]));
	f->n_ips = f->look.n;
	if (h->have && !has_mac(h->want, &h->have->mac))
		look_at(&f->look, r, MAC_KEY, h->id, mac_text(&h->have->mac));
}

/* A separate transaction may come early, since `auto` does not choose claimed addresses. */
static int rest(struct records *r, struct change *c, const struct holder *h, const struct fewer *f)
{
	struct change own;
	struct change *to = f->n_ips > REST_AT_ONCE ? &own : c;
	char key[MEMBER_KEY];
	__s64 lease;
	size_t i;
	const bool rests = f->n_ips && !h->no_rest;
	int err = rests ? record_rest(r, &lease) : 0;

	if (err || !rests)
		return err;
	change_begin(&own);
	for (i = 0; i < f->n_ips; i++) {
		record_key(r, key, "rest/%u/%s", h->id, record_name(f->look.at[i].key));
		change_write(to, key, "{}", lease);
	}
	if (to == &own)
		err = change_commit(r->e, &own, NULL);
	change_end(&own);
	return err;
}

/* Other owners' claims stay. */
static int add_fewer(struct records *r, struct change *c, const struct holder *h)
{
	struct fewer f = {};
	size_t i;
	int err;

	find_fewer(r, h, &f);
	err = look_read(r, &f.look);
	for (i = 0; !err && i < f.look.n; i++)
		if (claim_is_of(f.look.at[i].value, h->owner))
			change_del(c, f.look.at[i].key, f.look.at[i].modified);
	err = err ?: rest(r, c, h, &f);
	look_end(&f.look);
	return err;
}

/* ---- claims that come ------------------------------------------------------------- */

/*
 * HAS: the holder's record has it. If it has not, but the holder has the claim, then a record was
 * written or deleted by hand.
 */
static int add_one(const struct records *r, struct change *c, const struct holder *h,
		   const struct seen *seen, bool has)
{
	char owner[CHANGE_TEXT];
	bool chosen = false;

	if (!seen->value) {
		change_claim(c, seen->key, h->owner, 0, CLAIM_GIVEN);
		return 0;
	}
	claim_read(seen->value, owner, NULL);
	if (strcmp(owner, h->owner)) {
		is_chosen(r, h, seen->key, &chosen);
		return chosen ? -EAGAIN : refuse(r, h, seen->key, owner);
	}
	if (!has)
		change_claim(c, seen->key, h->owner, seen->modified, CLAIM_GIVEN);
	return 0;
}

static int add_wanted(const struct records *r, struct change *c, const struct holder *h)
{
	cleanup_look struct look look = {};
	unsigned int i;
	int err;

	if (!h->want)
		return 0;
	look_at_claims(r, h->id, h->want, &look);
	err = h->blind && !h->have ? look.err : look_read(r, &look);
	/* Addresses first: a plugin makes the MAC of an address. */
	for (i = 0; !err && i < h->want->ip.n; i++)
		err = add_one(r, c, h, &look.at[1 + i], has_ip(h->have, &h->want->ip.at[i]));
	return err ?: add_one(r, c, h, &look.at[0], has_mac(h->have, &h->want->mac));
}

/* An address may have been reserved after tsw chose it, see cluster_reserve(): no claim says so. */
static void check_reserved(const struct records *r, struct change *c, const struct holder *h)
{
	unsigned int i;

	for (i = 0; h->want && i < h->want->ip.n; i++)
		if (h->chosen_ip & 1ULL << i)
			record_check(r, c, 0, "rest/%u/%s", h->id, addr_text(&h->want->ip.at[i]));
}

int claims_add(struct records *r, struct change *c, const struct holder *h)
{
	int err = add_wanted(r, c, h);

	check_reserved(r, c, h);
	err = err ?: add_fewer(r, c, h);
	err = err ?: claims_add_vips(r, c, h);
	return err ?: claims_add_prefixes(r, c, h);
}
