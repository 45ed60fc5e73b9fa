/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is hashed: for the buckets of a table in which an entry may be, and for TSW_ASK_PRIORITY. */
#ifndef TSW_PLACES_H
#define TSW_PLACES_H

#include <tsw/abi.h>
#include <tsw/siphash.h>

/* A hash chooses two of N buckets: the first, or the second. */
#define TSW_PLACE(hash, second, n) ((__u32)((second) ? (hash) : (hash) >> 32) % (n))

#define TSW_ADDR_HIGH(addr) ((__u64)(addr)->w[0] << 32 | (addr)->w[1])
#define TSW_ADDR_LOW(addr) ((__u64)(addr)->w[2] << 32 | (addr)->w[3])

static inline __attribute__((always_inline, unused)) void
tsw_policy_input(const struct tsw_policy_conn *c, struct tsw_hash_input *in)
{
	in->word[0] = TSW_ADDR_HIGH(&c->low);
	in->word[1] = TSW_ADDR_LOW(&c->low);
	in->word[2] = TSW_ADDR_HIGH(&c->high);
	in->word[3] = TSW_ADDR_LOW(&c->high);
	in->word[4] = (__u64)c->low_port << 16 | c->high_port;
	in->word[5] = c->proto;
}

/* No connection has such ports. */
static inline __attribute__((always_inline, unused)) void tsw_ask_input(struct tsw_hash_input *in)
{
	int i;

	for (i = 0; i < TSW_HASH_WORDS; i++)
		in->word[i] = ~0ULL;
}

#endif
