// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"

enum { REST_AT_ONCE = 40 }; /* with so many more or fewer they are a transaction of their own */

static void ip_key(const struct records *r, const struct holder *h, const struct tsw_addr *addr,
		   char key[MEMBER_KEY])
{
	record_key(r, key, "ip/%u/%s", h->id, addr_text(addr));
}

static void mac_key(const struct records *r, const struct holder *h, char key[MEMBER_KEY],
		    const struct holding *of)
{
	record_key(r, key, "mac/%u/%s", h->id, mac_text(&of->mac));
}

static bool has_ip(const struct holding *of, const struct tsw_addr *addr)
{
	return of && addr_list_has(&of->ip, addr);
}

static bool has_mac(const struct holding *of, const struct tsw_mac *mac)
{
	return of && mac_equal(&of->mac, mac);
}

/* ---- who has it ------------------------------------------------------------------- */

static int refuse(const struct records *r, const struct holder *h, const char *key,
		  const char *owner)
{
	const char *what = record_name(key);
	char mac[MEMBER_KEY];

	record_key(r, mac, "mac/%u/%s", h->id, what);
	return rule_taken(h->tenant, strcmp(key, mac) ? "address" : "MAC", what,
			  rule_owner_text(strcmp(owner, CLAIMS_GATEWAY) ? owner : NULL));
}

int claims_check_free(const struct records *r, __u32 id, const struct tsw_name *tenant,
		      const struct tsw_addr *addr)
{
	const struct holder nobody = {.id = id, .tenant = tenant->s};
	char key[MEMBER_KEY], owner[CHANGE_TEXT];
	char cleanup_free *value = NULL;
	__s64 modified;
	int err;

	ip_key(r, &nobody, addr, key);
	err = record_get(r, key, &value, &modified);
	if (err || !value)
		return err;
	claim_read(value, owner, NULL);
	return refuse(r, &nobody, key, owner);
}

/* What KEY is of those that are wanted: was it chosen? -ENOENT: it is none of them. */
static int is_chosen(const struct records *r, const struct holder *h, const char *wanted,
		     bool *chosen)
{
	char key[MEMBER_KEY];
	unsigned int i;

	mac_key(r, h, key, h->want);
	*chosen = h->chosen_mac;
	if (!strcmp(key, wanted))
		return 0;
	for (i = 0; i < h->want->ip.n; i++) {
		ip_key(r, h, &h->want->ip.at[i], key);
		*chosen = h->chosen_ip & 1ULL << i;
		if (!strcmp(key, wanted))
			return 0;
	}
	return -ENOENT;
}

int claims_refuse(const struct records *r, const struct change *c, const struct holder *h)
{
	bool chosen;

	/* One of its own is an orphan: the next try looks, and takes it over. */
	if (!h->want || is_chosen(r, h, c->key, &chosen) || chosen || !strcmp(c->owner, h->owner))
		return -EAGAIN;
	return refuse(r, h, c->key, c->owner);
}

/* ---- more and fewer --------------------------------------------------------------- */

struct fewer {
	struct look look;
	size_t n_ips; /* the first of them */
};

static void find_fewer(const struct records *r, const struct holder *h, struct fewer *f)
{
	char key[MEMBER_KEY];
	unsigned int i;

	for (i = 0; h->have && i < h->have->ip.n; i++) {
		if (has_ip(h->want, &h->have->ip.at[i]))
			continue;
		ip_key(r, h, &h->have->ip.at[i], key);
		look_at(&f->look, key);
		f->n_ips++;
	}
	if (!h->have || has_mac(h->want, &h->have->mac))
		return;
	mac_key(r, h, key, h->have);
	look_at(&f->look, key);
}

/* Early is no harm: nobody is given by `auto` what has an owner still. */
static int rest(struct records *r, struct change *c, const struct holder *h, const struct fewer *f)
{
	struct change own;
	struct change *to = f->n_ips > REST_AT_ONCE ? &own : c;
	char key[MEMBER_KEY];
	__s64 lease;
	size_t i;
	int err = f->n_ips ? record_rest(r, &lease) : 0;

	if (err || !f->n_ips)
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

/* Claims that are not its own any more are left. */
static int add_fewer(struct records *r, struct change *c, const struct holder *h)
{
	struct fewer f = {};
	char owner[CHANGE_TEXT];
	size_t i;
	int err;

	find_fewer(r, h, &f);
	err = look_read(r, &f.look);
	for (i = 0; !err && i < f.look.n; i++) {
		if (!f.look.at[i].value)
			continue;
		claim_read(f.look.at[i].value, owner, NULL);
		if (!strcmp(owner, h->owner))
			change_del(c, f.look.at[i].key, f.look.at[i].modified);
	}
	err = err ?: rest(r, c, h, &f);
	look_end(&f.look);
	return err;
}

/* A claim of its own that its record does not tell was left by somebody who wrote by hand. */
static int add_one(const struct records *r, struct change *c, const struct holder *h,
		   const struct seen *seen, bool has)
{
	char owner[CHANGE_TEXT];
	bool chosen;

	if (!seen->value) {
		change_claim(c, seen->key, h->owner);
		return 0;
	}
	claim_read(seen->value, owner, NULL);
	if (strcmp(owner, h->owner)) {
		is_chosen(r, h, seen->key, &chosen);
		return chosen ? -EAGAIN : refuse(r, h, seen->key, owner);
	}
	if (!has)
		change_take_over(c, seen->key, h->owner, seen->modified);
	return 0;
}

static void claim_blindly(const struct records *r, struct change *c, const struct holder *h)
{
	char key[MEMBER_KEY];
	unsigned int i;

	mac_key(r, h, key, h->want);
	change_claim(c, key, h->owner);
	for (i = 0; i < h->want->ip.n; i++) {
		ip_key(r, h, &h->want->ip.at[i], key);
		change_claim(c, key, h->owner);
	}
}

static int add_wanted(const struct records *r, struct change *c, const struct holder *h)
{
	cleanup_look struct look look = {};
	char key[MEMBER_KEY];
	unsigned int i;
	int err;

	if (!h->want)
		return 0;
	if (h->blind && !h->have) {
		claim_blindly(r, c, h);
		return 0;
	}
	mac_key(r, h, key, h->want);
	look_at(&look, key);
	for (i = 0; i < h->want->ip.n; i++) {
		ip_key(r, h, &h->want->ip.at[i], key);
		look_at(&look, key);
	}
	err = look_read(r, &look);
	err = err ?: add_one(r, c, h, &look.at[0], has_mac(h->have, &h->want->mac));
	for (i = 0; !err && i < h->want->ip.n; i++)
		err = add_one(r, c, h, &look.at[1 + i], has_ip(h->have, &h->want->ip.at[i]));
	return err;
}

/* What was chosen may have been reserved since, see reserve.h: no claim says so. */
static void check_reserved(const struct records *r, struct change *c, const struct holder *h)
{
	char key[MEMBER_KEY];
	unsigned int i;

	for (i = 0; h->want && i < h->want->ip.n; i++) {
		if (!(h->chosen_ip & 1ULL << i))
			continue;
		record_key(r, key, "rest/%u/%s", h->id, addr_text(&h->want->ip.at[i]));
		change_check(c, key, 0);
	}
}

int claims_add(struct records *r, struct change *c, const struct holder *h)
{
	int err = add_wanted(r, c, h);

	check_reserved(r, c, h);
	return err ?: add_fewer(r, c, h);
}
