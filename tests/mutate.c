// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "mutate.h"

#define TIMES 1000000
#define CHANGED 4 /* octets, at most */
#define ADDED 60  /* likewise */

long mutate_times(void)
{
	const char *asked = getenv("TSW_FUZZ_FRAMES");

	return asked ? atol(asked) : TIMES;
}

/* xorshift64*, to have the same numbers everywhere. */
__u32 mutate_chance(__u32 below)
{
	static __u64 x = 0x9e3779b97f4a7c15ULL;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return (__u32)((x * 0x2545f4914f6cdd1dULL >> 33) % below);
}

void mutate(struct frame *f, __u32 from, __u32 head)
{
	__u32 n = 1 + mutate_chance(CHANGED);

	while (n--)
		f->b[from + mutate_chance((__u32)f->len - from)] = (__u8)mutate_chance(256);
	if (!mutate_chance(4))
		f->len -= mutate_chance((__u32)f->len - head);
	if (!mutate_chance(4))
		f->len += mutate_chance(ADDED);
}
