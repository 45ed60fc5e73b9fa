// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/pick.h"
#include "record/choice.h"

enum {
	CANDIDATES = 32, /* of one try */
	TRIES = 3,	 /* before all is read */
	REST_S = 60,	 /* as record_rest() has it */
	ROOM = 256,
};

struct picking {
	const struct records *r;
	__u32 id;
	const struct tsw_prefix *net;
	struct choice of;
	const struct tsw_addr_list *others;
};

static int random_below(addr_number n, addr_number *at)
{
	if (getrandom(at, sizeof(*at), 0) != sizeof(*at))
		return fail(errno, "cannot get random octets: %s", strerror(errno));
	*at %= n;
	return 0;
}

static void look_at_both(const struct records *r, __u32 id, const struct tsw_addr *addr,
			 struct look *look)
{
	char key[MEMBER_KEY];

	record_key(r, key, "ip/%u/%s", id, addr_text(addr));
	look_at(look, key);
	record_key(r, key, "rest/%u/%s", id, addr_text(addr));
	look_at(look, key);
}

/* N random ones, each two keys of LOOK. */
static int ask(const struct records *r, __u32 id, const struct choice *of,
	       struct tsw_addr *candidate, size_t n, struct look *look)
{
	addr_number at;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		err = random_below(of->last - of->first + 1, &at);
		candidate[i] = addr_of_number(of->first + at);
		look_at_both(r, id, &candidate[i], look);
	}
	return err;
}

static bool is_found(const struct tsw_addr *candidate, size_t n, const struct seen *at,
		     const struct tsw_addr_list *others, struct tsw_addr *addr)
{
	size_t i;

	for (i = 0; i < n; i++) {
		*addr = candidate[i];
		if (!at[2 * i].value && !at[2 * i + 1].value && !addr_list_has(others, addr))
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
		struct tsw_addr *addr)
{
	return is_found(p->candidate, PICK_CANDIDATES, look->at + p->first, others, addr);
}

/* -EADDRINUSE without a message: all that were tried are taken. */
static int try_some(const struct picking *p, struct tsw_addr *addr)
{
	struct tsw_addr candidate[CANDIDATES];
	cleanup_look struct look look = {};
	int err = ask(p->r, p->id, &p->of, candidate, CANDIDATES, &look);

	err = err ?: look_read(p->r, &look);
	if (err)
		return err;
	return is_found(candidate, CANDIDATES, look.at, p->others, addr) ? 0 : -EADDRINUSE;
}

/* ---- all of it -------------------------------------------------------------------- */

struct taken {
	const struct picking *p;
	addr_number *all;
	size_t n;
};

static int add_taken(struct taken *t, const struct tsw_addr *addr)
{
	addr_number *grown;

	if (!choice_has(&t->p->of, addr))
		return 0;
	if (t->n % ROOM == 0) {
		grown = reallocarray(t->all, t->n + ROOM, sizeof(*grown));
		if (!grown)
			return fail(ENOMEM, "no memory");
		t->all = grown;
	}
	t->all[t->n++] = number_of_addr(addr);
	return 0;
}

static int take(void *context, const struct etcd_entry *entry)
{
	struct tsw_addr addr;

	return parse_ip(record_name(entry->key), &addr) ? 0 : add_taken(context, &addr);
}

static int compare(const void *a, const void *b)
{
	const addr_number *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each once. */
static void sort(struct taken *t)
{
	size_t i, n = 0;

	if (t->n)
		qsort(t->all, t->n, sizeof(*t->all), compare);
	for (i = 0; i < t->n; i++)
		if (!n || t->all[n - 1] != t->all[i])
			t->all[n++] = t->all[i];
	t->n = n;
}

static int full(const struct picking *p, size_t resting)
{
	const int err = fail(ENOSPC, "no address of net %s is free", quoted(prefix_text(p->net)));

	if (resting)
		fail_more("; given up in the last %d s: %zu", REST_S, resting);
	return err;
}

/* Those that have an owner, then those that rest; the K-th of what is between them. */
static int choose_of_all(const struct picking *p, struct tsw_addr *addr)
{
	const struct record_range ip = record_range(p->r, "ip/%u/", p->id);
	const struct record_range rest = record_range(p->r, "rest/%u/", p->id);
	const addr_number n = p->of.last - p->of.first + 1;
	struct taken taken = {.p = p};
	addr_number at = 0;
	size_t i, owned;
	__s64 revision = 0;
	int err = records_each(p->r, &ip, &revision, take, &taken);

	for (i = 0; !err && i < p->others->n; i++)
		err = add_taken(&taken, &p->others->at[i]);
	sort(&taken);
	owned = taken.n;
	err = err ?: records_each(p->r, &rest, &revision, take, &taken);
	sort(&taken);
	if (!err && taken.n == n)
		err = full(p, taken.n - owned);
	err = err ?: random_below(n - taken.n, &at);
	at += p->of.first;
	for (i = 0; i < taken.n && taken.all[i] <= at; i++)
		at++;
	*addr = addr_of_number(at);
	free(taken.all);
	return err;
}

int pick_address(const struct records *r, __u32 id, const struct tsw_prefix *net,
		 const struct tsw_addr_list *others, struct tsw_addr *addr)
{
	const struct picking p = {r, id, net, choice_of(net), others};
	int err = -EADDRINUSE, tries;

	for (tries = 0; err == -EADDRINUSE && tries < TRIES; tries++)
		err = try_some(&p, addr);
	return err == -EADDRINUSE ? choose_of_all(&p, addr) : err;
}
