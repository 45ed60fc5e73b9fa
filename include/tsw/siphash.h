/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SipHash-1-3 of a fixed number of words: which bucket of a table has an entry. Tenants choose what
 * is hashed. Without the key nobody finds two inputs that meet, whatever they differ in. The
 * programs use it, and the command, which moves entries between tables.
 */
#ifndef TSW_SIPHASH_H
#define TSW_SIPHASH_H

#include <linux/types.h>

#define TSW_HASH_WORDS 6

struct tsw_hash_input {
	__u64 word[TSW_HASH_WORDS];
};

struct tsw_sip {
	__u64 a, b, c, d;
};

#define TSW_ROTATE(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))

static inline __attribute__((always_inline, unused)) void tsw_sip_round(struct tsw_sip *s)
{
	s->a += s->b;
	s->b = TSW_ROTATE(s->b, 13) ^ s->a;
	s->a = TSW_ROTATE(s->a, 32);
	s->c += s->d;
	s->d = TSW_ROTATE(s->d, 16) ^ s->c;
	s->a += s->d;
	s->d = TSW_ROTATE(s->d, 21) ^ s->a;
	s->c += s->b;
	s->b = TSW_ROTATE(s->b, 17) ^ s->c;
	s->c = TSW_ROTATE(s->c, 32);
}

/* As Aumasson and Bernstein have it, of 48 octets, each word in the machine's own byte order. */
static inline __attribute__((always_inline, unused)) __u64
tsw_siphash(__u64 key0, __u64 key1, const struct tsw_hash_input *in)
{
	struct tsw_sip s = {key0 ^ 0x736f6d6570736575ULL, key1 ^ 0x646f72616e646f6dULL,
			    key0 ^ 0x6c7967656e657261ULL, key1 ^ 0x7465646279746573ULL};
	const __u64 length = sizeof(*in);
	int i;

	for (i = 0; i <= TSW_HASH_WORDS; i++) {
		const __u64 word = i < TSW_HASH_WORDS ? in->word[i] : length << 56;

		s.d ^= word;
		tsw_sip_round(&s);
		s.a ^= word;
	}
	s.c ^= 0xff;
	for (i = 0; i < 3; i++)
		tsw_sip_round(&s);
	return s.a ^ s.b ^ s.c ^ s.d;
}

#endif
