// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/list.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/claims.h"
#include "cluster/pick.h"
#include "cluster/tenant.h"
#include "record/choice.h"

enum {
	CANDIDATES = 32, /* of one try */
	TRIES = 3,	 /* then reads the claims, block by block */
	REST_S = 60,	 /* as in record_rest() */
	BLOCK = 256,	 /* addresses */
	BLOCKS = 64,	 /* counted in one call, see ETCD_OPS */
	BLOCK_TEXT = 64, /* octets */
};

struct picking {
	const struct records *r;
	__u32 id;
	const struct tsw_prefix *net;
	struct choice of;
	const struct tsw_addr_list *others;
	const struct prefixes *behind;
};

static int random_below(addr_number n, addr_number *at)
{
	if (getrandom(at, sizeof(*at), 0) != sizeof(*at))
		return fail(errno, "cannot get random octets: %s", strerror(errno));
	*at %= n;
	return 0;
}

/* Makes N random candidates. Adds two keys of each to LOOK. */
static int ask(const struct records *r, __u32 id, const struct choice *of,
	       struct tsw_addr *candidate, size_t n, struct look *look)
{
	addr_number at;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		err = random_below(of->last - of->first + 1, &at);
		candidate[i] = addr_of_number(of->first + at);
		look_at(look, r, "ip/%u/%s", id, addr_text(&candidate[i]));
		look_at(look, r, "rest/%u/%s", id, addr_text(&candidate[i]));
	}
	return err;
}

static bool is_found(const struct tsw_addr *candidate, size_t n, const struct seen *at,
		     const struct tsw_addr_list *others, const struct prefixes *behind,
		     struct tsw_addr *addr)
{
	size_t i;

	for (i = 0; i < n; i++) {
		*addr = candidate[i];
		if (!at[2 * i].value && !at[2 * i + 1].value && !addr_is_service(addr) &&
		    !addr_list_has(others, addr) && !prefixes_around(behind, addr))
			return true;
	}
	return false;
}

int pick_ask(struct pick *p, const struct records *r, __u32 id, const struct tsw_prefix *net,
	     struct look *look)
{
	const struct choice of = choice_of(net);

	p->first = look->n;
	return ask(r, id, &of, p->candidate, PICK_CANDIDATES, look);
}

bool pick_found(const struct pick *p, const struct look *look, const struct tsw_addr_list *others,
		const struct prefixes *behind, struct tsw_addr *addr)
{
	return is_found(p->candidate, PICK_CANDIDATES, look->at + p->first, others, behind, addr);
}

/* -EADDRINUSE without a message: all candidates are taken. */
static int try_some(const struct picking *p, struct tsw_addr *addr)
{
	struct tsw_addr candidate[CANDIDATES];
	cleanup_look struct look look = {};
	int err = ask(p->r, p->id, &p->of, candidate, CANDIDATES, &look);

	err = err ?: look_read(p->r, &look);
	if (err)
		return err;
	return is_found(candidate, CANDIDATES, look.at, p->others, p->behind, addr) ? 0
										    : -EADDRINUSE;
}

/* ---- reading the claims ----------------------------------------------------------- */

/* Ranges of addresses in OF that are taken. */
struct taken {
	struct choice of;
	struct choice *all;
	size_t n;
};

static int add_range(struct taken *t, addr_number first, addr_number last)
{
	const struct choice range = {first > t->of.first ? first : t->of.first,
				     last < t->of.last ? last : t->of.last};

	return range.first > range.last ? 0 : list_append(&t->all, &t->n, &range, sizeof(range));
}

static int add_taken(struct taken *t, const struct tsw_addr *addr)
{
	const addr_number number = number_of_addr(addr);

	return add_range(t, number, number);
}

static int add_behind(struct taken *t, const struct prefixes *behind)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && behind && i < behind->n; i++) {
		const struct tsw_addr first = prefix_first(&behind->all[i].prefix);
		const struct tsw_addr last = prefix_last(&behind->all[i].prefix);

		err = add_range(t, number_of_addr(&first), number_of_addr(&last));
	}
	return err;
}

static int take(void *context, const struct etcd_entry *entry)
{
	struct tsw_addr addr;

	return parse_ip(record_name(entry->key), &addr) ? 0 : add_taken(context, &addr);
}

static int compare(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts, and joins ranges that overlap. Returns how many addresses are taken. */
static addr_number sort(struct taken *t)
{
	addr_number sum = 0;
	size_t i, n = 0;

	if (t->n)
		qsort(t->all, t->n, sizeof(*t->all), compare);
	for (i = 0; i < t->n; i++) {
		if (!n || t->all[n - 1].last < t->all[i].first)
			t->all[n++] = t->all[i];
		else if (t->all[n - 1].last < t->all[i].last)
			t->all[n - 1].last = t->all[i].last;
	}
	t->n = n;
	for (i = 0; i < n; i++)
		sum += t->all[i].last - t->all[i].first + 1;
	return sum;
}

static int full(const struct picking *p, size_t resting)
{
	const int err = rule_net_full(p->net);

	if (resting)
		fail_more("; given up in the last %d s: %zu", REST_S, resting);
	return err;
}

/*
 * Chooses a random free address of the range OF, whose addresses all begin with the text BEGIN.
 * Adds to *RESTING how many rest, without an owner. -EADDRINUSE without a message: no address is
 * free.
 */
static int choose_of(const struct picking *p, const struct choice *of, const char *begin,
		     struct tsw_addr *addr, size_t *resting)
{
	const addr_number n = of->last - of->first + 1;
	const struct tsw_addr service = addr_service(addr_family(&p->net->addr));
	struct taken taken = {.of = *of};
	addr_number at = 0, owned, all;
	size_t i;
	int err = records_read(p->r, NULL, take, &taken, "ip/%u/%s", p->id, begin);

	err = err ?: add_taken(&taken, &service);
	for (i = 0; !err && i < p->others->n; i++)
		err = add_taken(&taken, &p->others->at[i]);
	err = err ?: add_behind(&taken, p->behind);
	owned = sort(&taken);
	if (!err && owned < n)
		err = records_read(p->r, NULL, take, &taken, "rest/%u/%s", p->id, begin);
	all = sort(&taken);
	*resting += (size_t)(all - owned);
	if (!err && all == n)
		err = -EADDRINUSE;
	err = err ?: random_below(n - all, &at);
	at += of->first;
	for (i = 0; i < taken.n && taken.all[i].first <= at; i++)
		at += taken.all[i].last - taken.all[i].first + 1;
	*addr = addr_of_number(at);
	free(taken.all);
	return err;
}

/* The text with which the IPv4 addresses of a block of 256 begin, such as `10.0.7.` */
static void block_text(addr_number block, char begin[BLOCK_TEXT])
{
	const struct tsw_addr first = addr_of_number(block << 8);

	snprintf(begin, BLOCK_TEXT, "%s", addr_text(&first));
	*(strrchr(begin, '.') + 1) = '\0';
}

static int choose_of_block(const struct picking *p, addr_number block, struct tsw_addr *addr,
			   size_t *resting)
{
	const addr_number first = block << 8, last = first | 0xff;
	const struct choice of = {first > p->of.first ? first : p->of.first,
				  last < p->of.last ? last : p->of.last};
	char begin[BLOCK_TEXT];

	block_text(block, begin);
	return choose_of(p, &of, begin, addr, resting);
}

/* Chooses an address of the first of N blocks that has a free one. */
static int choose_among(const struct picking *p, const addr_number *block, size_t n,
			struct tsw_addr *addr, size_t *resting)
{
	cleanup_look struct look look = {};
	char begin[BLOCK_TEXT];
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		block_text(block[i], begin);
		look_count(&look, p->r, "ip/%u/%s", p->id, begin);
	}
	err = look_read(p->r, &look) ?: -EADDRINUSE;
	for (i = 0; err == -EADDRINUSE && i < n; i++)
		if (look.at[i].count < BLOCK)
			err = choose_of_block(p, block[i], addr, resting);
	return err;
}

/*
 * Goes block by block, from a random one on, so that many hosts that search a nearly full net each
 * read little. Reads an IPv6 net at once, because such a net is hardly ever full.
 */
static int choose(const struct picking *p, struct tsw_addr *addr)
{
	const addr_number first = p->of.first >> 8, n = (p->of.last >> 8) - first + 1;
	addr_number block[BLOCKS], at, i = 0;
	size_t resting = 0, k;
	int err;

	if (!addr_is_v4(&p->net->addr)) {
		err = choose_of(p, &p->of, "", addr, &resting);
		return err == -EADDRINUSE ? full(p, resting) : err;
	}
	err = random_below(n, &at) ?: -EADDRINUSE;
	while (err == -EADDRINUSE && i < n) {
		for (k = 0; k < BLOCKS && i < n; k++, i++)
			block[k] = first + (at + i) % n;
		err = choose_among(p, block, k, addr, &resting);
	}
	return err == -EADDRINUSE ? full(p, resting) : err;
}

int pick_address(const struct records *r, __u32 id, const struct tsw_prefix *net,
		 const struct tsw_addr_list *others, const struct prefixes *behind,
		 struct tsw_addr *addr)
{
	const struct picking p = {r, id, net, choice_of(net), others, behind};
	int err = -EADDRINUSE, tries;

	for (tries = 0; err == -EADDRINUSE && tries < TRIES; tries++)
		err = try_some(&p, addr);
	return err == -EADDRINUSE ? choose(&p, addr) : err;
}

/* ---- reserving -------------------------------------------------------------------- */

struct reserving {
	const struct tsw_name *tenant;
	const struct tsw_prefix *net;
	bool chosen;
	struct tsw_addr addr;
};

static int add_rest(struct records *r, const struct reserving *v, __u32 id,
		    const struct prefixes *behind, struct change *c)
{
	char rest[MEMBER_KEY];
	__s64 lease;
	int err = record_rest(r, &lease);

	if (err)
		return err;
	record_check(r, c, 0, "ip/%u/%s", id, addr_text(&v->addr));
	prefixes_keep(r, c, id, behind);
	record_key(r, rest, "rest/%u/%s", id, addr_text(&v->addr));
	if (v->chosen)
		change_check(c, rest, 0);
	change_write(c, rest, "{}", lease);
	return 0;
}

static int once(struct records *r, void *context, bool again, struct change *c)
{
	static const struct tsw_addr_list none;
	cleanup_prefixes struct prefixes behind = {};
	struct reserving *v = context;
	struct tsw_tenant_spec spec;
	int err = cluster_tenant_get(r, v->tenant, &spec, NULL);

	(void)again;
	err = err ?: prefixes_read(r, spec.id, &behind);
	err = err
		      ?: v->chosen ? pick_address(r, spec.id, v->net, &none, &behind, &v->addr)
				   : claims_check_free(r, spec.id, v->tenant, &behind, &v->addr);
	return err ?: add_rest(r, v, spec.id, &behind, c);
}

int cluster_reserve(struct records *r, const struct tsw_name *tenant, const struct tsw_prefix *net,
		    struct tsw_addr *addr)
{
	struct reserving v = {tenant, net, addr_is_none(addr), *addr};
	int err = record_change(r, once, NULL, &v);

	if (!err)
		*addr = v.addr;
	return err;
}
