// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which bucket an entry is in, as somebody looks at it who wants two entries to meet. He knows the
 * hash and not its key: so he takes keys of his own, tries differences of words that cancel each
 * other, and keeps what holds for most of his keys.
 *
 * The hash of tsw 0.2.0 is here beside today's, to see that the search finds what there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <tsw/places.h>

#include <cmocka.h>

enum { KEYS = 8, BITS = 64, BUCKETS = 1021, MANY = 1 << 16 };

typedef __u64 hash_function(const __u64 key[2], const struct tsw_hash_input *in);

static __u64 mix(__u64 hash, __u64 value)
{
	hash = (hash ^ value) * 0x9fb21c651e98df25ULL;
	return hash ^ hash >> 29;
}

static __u64 old_hash(const __u64 key[2], const struct tsw_hash_input *in)
{
	__u64 hash = key[0];

	for (int i = 0; i < TSW_HASH_WORDS; i++)
		hash = mix(hash, in->word[i]);
	return mix(hash, key[0]);
}

static __u64 new_hash(const __u64 key[2], const struct tsw_hash_input *in)
{
	return tsw_siphash(key[0], key[1], in);
}

/* Random, and the same in each run. */
static __u64 chance(void)
{
	static __u64 state = 0x1234567;

	state += 0x9e3779b97f4a7c15ULL;
	return mix(mix(state, state >> 32), 0);
}

static void choose(__u64 *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = chance();
}

/* ---- the hash itself ------------------------------------------------------------------------ */

/* By another implementation, of the octets 0 to 47 under the key 0 to 15. */
static void known(void **state)
{
	struct tsw_hash_input in;
	__u8 octets[sizeof(in)], its_key[2 * sizeof(__u64)];
	const __u8 want[] = {0x46, 0x4c, 0x07, 0xdf, 0xf8, 0x43, 0x31, 0x9f};
	__u64 key[2], hash;

	(void)state;
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (__u8)i;
	memcpy(its_key, octets, sizeof(its_key));
	memcpy(key, its_key, sizeof(key));
	memcpy(&in, octets, sizeof(in));
	hash = tsw_siphash(key[0], key[1], &in);
	assert_memory_equal(&hash, want, sizeof(want));
}

/* ---- differences ---------------------------------------------------------------------------- */

struct found {
	unsigned long tries, met; /* of all tries so many had one hash */
	unsigned int most;	  /* keys with which the best difference does */
};

/* A difference of one bit in one word, and one of one bit or two in another. */
static void try_one(hash_function *hash, const __u64 (*key)[2], const struct tsw_hash_input *from,
		    const __u64 *was, const struct tsw_hash_input *to, struct found *f)
{
	unsigned int n = 0;

	(void)from;
	for (int k = 0; k < KEYS; k++) {
		const bool met = hash(key[k], to) == was[k];

		f->tries++;
		n += met;
		if (!met && !n) /* what fails with the first key holds for few */
			break;
	}
	f->met += n;
	f->most = n > f->most ? n : f->most;
}

static void try_words(hash_function *hash, const __u64 (*key)[2], int one, int two, struct found *f)
{
	struct tsw_hash_input from, to;
	__u64 was[KEYS];

	choose(from.word, TSW_HASH_WORDS);
	for (int k = 0; k < KEYS; k++)
		was[k] = hash(key[k], &from);
	for (int a = 0; a < BITS; a++)
		for (int b = 0; b < BITS; b++)
			for (int c = b; c < BITS; c++) {
				to = from;
				to.word[one] ^= 1ULL << a;
				to.word[two] ^= 1ULL << b | 1ULL << c;
				try_one(hash, key, &from, was, &to, f);
			}
}

static struct found search(hash_function *hash)
{
	struct found f = {};
	__u64 key[KEYS][2];

	for (int k = 0; k < KEYS; k++)
		choose(key[k], 2);
	for (int one = 0; one < TSW_HASH_WORDS; one++)
		for (int two = 0; two < TSW_HASH_WORDS; two++)
			if (one != two)
				try_words(hash, key, one, two, &f);
	return f;
}

static void old_differences(void **state)
{
	const struct found f = search(old_hash);

	(void)state;
	print_message("old: %lu of %lu; the best meets with %u of %d keys\n", f.met, f.tries,
		      f.most, KEYS);
	assert_int_equal(f.most, KEYS);
}

static void differences(void **state)
{
	const struct found f = search(new_hash);

	(void)state;
	print_message("new: %lu of %lu\n", f.met, f.tries);
	assert_int_equal(f.met, 0);
}

/* ---- families ------------------------------------------------------------------------------- */

/*
 * 65536 inputs: the upper octet of one word, and in the next what cancels each difference that this
 * may lead to in the old hash.
 */
static void family(int one, int nth, struct tsw_hash_input *in)
{
	const __u64 x = (__u64)nth & 0xff, y = (__u64)nth >> 8;

	in->word[one] ^= x << 56;
	in->word[one + 1] ^= y << 56 | y << 27;
}

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* How many different hashes; *MOST: how many are in the fullest bucket. */
static size_t spread(hash_function *hash, int one, size_t *most)
{
	static __u64 all[MANY];
	size_t bucket[BUCKETS] = {}, different = 0;
	struct tsw_hash_input from, in;
	__u64 key[2];

	choose(key, 2);
	choose(from.word, TSW_HASH_WORDS);
	for (int i = 0; i < MANY; i++) {
		in = from;
		family(one, i, &in);
		all[i] = hash(key, &in);
		bucket[TSW_PLACE(all[i], 0, BUCKETS)]++;
	}
	qsort(all, MANY, sizeof(*all), compare);
	for (int i = 0; i < MANY; i++)
		different += !i || all[i] != all[i - 1];
	*most = 0;
	for (int i = 0; i < BUCKETS; i++)
		*most = bucket[i] > *most ? bucket[i] : *most;
	return different;
}

static void old_families(void **state)
{
	size_t most;

	(void)state;
	for (int one = 0; one + 1 < TSW_HASH_WORDS; one++)
		assert_true(spread(old_hash, one, &most) <= MANY / 100);
}

/* A bucket has 64 of 65536 on the average, and 64 + 6 * 8 in one of a billion. */
static void families(void **state)
{
	size_t most;

	(void)state;
	for (int k = 0; k < 20; k++)
		for (int one = 0; one + 1 < TSW_HASH_WORDS; one++) {
			assert_int_equal(spread(new_hash, one, &most), MANY);
			assert_in_range(most, MANY / BUCKETS, MANY / BUCKETS + 48);
		}
}

/* Counters, one octet apart, one bit apart: what anybody would send. */
static void plain(void **state)
{
	size_t bucket[BUCKETS];
	struct tsw_hash_input in;
	__u64 key[2];

	(void)state;
	for (int word = 0; word < TSW_HASH_WORDS; word++)
		for (int shift = 0; shift <= 48; shift += 8) {
			choose(key, 2);
			choose(in.word, TSW_HASH_WORDS);
			memset(bucket, 0, sizeof(bucket));
			for (__u64 i = 0; i < MANY; i++) {
				struct tsw_hash_input it = in;

				it.word[word] += i << shift;
				bucket[TSW_PLACE(new_hash(key, &it), 1, BUCKETS)]++;
			}
			for (int i = 0; i < BUCKETS; i++)
				assert_in_range(bucket[i], 64 - 44, 64 + 56);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),       cmocka_unit_test(old_differences),
		cmocka_unit_test(differences), cmocka_unit_test(old_families),
		cmocka_unit_test(families),    cmocka_unit_test(plain),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
