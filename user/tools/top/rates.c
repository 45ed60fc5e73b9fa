// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "switch/session.h"
#include "tools/top/rates.h"

static int read_counters(const struct tsw *t, struct sample *s)
{
	size_t unused;
	int err = tenants_read(t, &s->tenants);

	err = err ?: tenants_stats(t, &s->tenants, &s->stats, &unused);
	err = err ?: drops_read(t, &s->drops);
	clock_gettime(CLOCK_MONOTONIC, &s->at);
	return err;
}

int sample_take(struct tsw *t, struct sample *s)
{
	int err;

	session_leave(t);
	err = session_open(t);
	if (err)
		return err;
	s->totals = t->totals;
	memcpy(s->name, t->config.name, sizeof(s->name));
	return read_counters(t, s);
}

void sample_free(struct sample *s)
{
	tenants_free(&s->tenants);
	drops_free(&s->drops);
	free(s->stats);
	*s = (struct sample){};
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	const double s = (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9;

	return s > 0 ? s : 1e-9;
}

/* A counter that is smaller than before was made anew, so all of it is growth. */
static double grown(__u64 before, __u64 now)
{
	return (double)(now < before ? now : now - before);
}

static struct tsw_counter counter_grown(const struct tsw_counter *before,
					const struct tsw_counter *now)
{
	if (now->packets < before->packets)
		return *now;
	return (struct tsw_counter){now->packets - before->packets, now->bytes - before->bytes};
}

static void fill(double of[RATES], const struct tsw_stats *before, const struct tsw_stats *now,
		 double drops, double seconds)
{
	const struct tsw_counter tx = counter_grown(&before->tunnel_tx, &now->tunnel_tx);
	const struct tsw_counter rx = counter_grown(&before->tunnel_rx, &now->tunnel_rx);
	const struct tsw_counter local = counter_grown(&before->local, &now->local);
	const struct tsw_counter gateway = counter_grown(&before->gateway, &now->gateway);
	int i;

	of[RATE_BITS] = (double)(tx.bytes + rx.bytes + local.bytes + gateway.bytes) * 8;
	of[RATE_PACKETS] = (double)(tx.packets + rx.packets + local.packets + gateway.packets);
	of[RATE_TX_BITS] = (double)tx.bytes * 8;
	of[RATE_TX_PACKETS] = (double)tx.packets;
	of[RATE_RX_BITS] = (double)rx.bytes * 8;
	of[RATE_RX_PACKETS] = (double)rx.packets;
	of[RATE_LOCAL_BITS] = (double)local.bytes * 8;
	of[RATE_GATEWAY_BITS] = (double)gateway.bytes * 8;
	of[RATE_DROPS] = drops;
	for (i = 0; i < RATES; i++)
		of[i] /= seconds;
}

static const struct tenant_row *same_tenant(const struct sample *before,
					    const struct tenant_row *row)
{
	const struct tenant_row *old = tenants_row(&before->tenants, row->id);

	return old && !strcmp(old->tenant.name, row->tenant.name) ? old : NULL;
}

static void rate_row(const struct sample *before, const struct sample *now, size_t i,
		     struct rates *rates)
{
	static const struct tsw_stats none;
	const struct tenant_row *row = &now->tenants.row[i], *old = same_tenant(before, row);
	struct rates_row *to = &rates->row[i];
	int rate;

	to->id = row->id;
	to->name = row->tenant.name;
	fill(to->of, old ? &before->stats[old - before->tenants.row] : &none, &now->stats[i],
	     grown(old ? drops_of(&before->drops, row->id) : 0, drops_of(&now->drops, row->id)),
	     rates->seconds);
	for (rate = 0; rate < RATES; rate++)
		rates->sum[rate] += to->of[rate];
}

static bool is_known(const struct sample *s, __u32 tenant)
{
	return tenants_row(&s->tenants, tenant);
}

/* Drops of frames without a known tenant are only in the sum. */
static __u64 unknown_drops(const struct sample *s)
{
	__u64 packets = 0;
	size_t i;

	for (i = 0; i < s->drops.n; i++)
		if (!is_known(s, s->drops.row[i].key.tenant))
			packets += s->drops.row[i].count.packets;
	return packets;
}

int rates_between(const struct sample *before, const struct sample *now, struct rates *rates)
{
	size_t i;

	*rates = (struct rates){.n = now->tenants.n};
	rates->row = calloc(rates->n + 1, sizeof(*rates->row));
	if (!rates->row)
		return fail_memory();
	rates->seconds = seconds_between(&before->at, &now->at);
	for (i = 0; i < rates->n; i++)
		rate_row(before, now, i, rates);
	rates->sum[RATE_DROPS] += grown(unknown_drops(before), unknown_drops(now)) / rates->seconds;
	return 0;
}

void rates_free(struct rates *rates)
{
	free(rates->row);
	*rates = (struct rates){};
}

struct order {
	unsigned int by;
	bool reverse;
};

static int compare(const void *a, const void *b, void *data)
{
	const struct rates_row *x = a, *y = b;
	const struct order *order = data;
	int result = 0;

	if (order->by < RATES && x->of[order->by] != y->of[order->by])
		result = x->of[order->by] > y->of[order->by] ? -1 : 1;
	else
		return order->by < RATES || !order->reverse ? strcmp(x->name, y->name)
							    : strcmp(y->name, x->name);
	return order->reverse ? -result : result;
}

void rates_sort(struct rates *rates, unsigned int by, bool reverse)
{
	struct order order = {by, reverse};

	qsort_r(rates->row, rates->n, sizeof(*rates->row), compare, &order);
}

static int compare_drops(const void *a, const void *b)
{
	const struct drop_rate *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->packets != y->packets ? (x->packets > y->packets ? -1 : 1)
					: (int)x->key.reason - (int)y->key.reason;
}

static __u64 drops_before(const struct sample *s, const struct tsw_drop_key *key)
{
	size_t i;

	for (i = 0; i < s->drops.n; i++)
		if (!memcmp(&s->drops.row[i].key, key, sizeof(*key)))
			return s->drops.row[i].count.packets;
	return 0;
}

int drop_rates(const struct sample *before, const struct sample *now, __u32 tenant,
	       struct drop_rate **all, size_t *n)
{
	const double seconds = seconds_between(&before->at, &now->at);
	size_t i;

	*n = 0;
	*all = calloc(now->drops.n + 1, sizeof(**all));
	if (!*all)
		return fail_memory();
	for (i = 0; i < now->drops.n; i++) {
		const struct drop_row *row = &now->drops.row[i];

		if (row->key.tenant == tenant)
			(*all)[(*n)++] = (struct drop_rate){row->key,
							    grown(drops_before(before, &row->key),
								  row->count.packets) /
								    seconds,
							    row->count.packets};
	}
	qsort(*all, *n, sizeof(**all), compare_drops);
	return 0;
}

const char *rate_text(double rate, char text[8])
{
	static const char unit[] = " kMGTPE";
	int power = 0, digits;

	for (; rate >= 999.5 && unit[power + 1]; power++)
		rate /= 1000;
	digits = !power || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2;
	snprintf(text, 8, "%.*f%.*s", digits, rate, power ? 1 : 0, &unit[power]);
	return text;
}
