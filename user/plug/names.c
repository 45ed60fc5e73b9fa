// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"
#include "plug/names.h"
#include "record/plugin.h"

__u64 name_mix(__u64 hash, const char *text)
{
	do {
		hash ^= (unsigned char)*text;
		hash *= 0x100000001b3ULL;
	} while (*text++); /* includes the NUL, so that "a" "bc" differs from "ab" "c" */
	return hash;
}

/* The high bits of the result are the best ones; the low bits of FNV are its worst. */
static __u64 spread(__u64 hash)
{
	return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ULL;
}

/* Takes the high bits first. */
void name_letters(__u64 hash, unsigned int n, char *text)
{
	unsigned int i;

	hash = spread(hash);
	for (i = 0; i < n; i++, hash <<= 5)
		text[i] = PLUGIN_LETTERS[hash >> 59];
	text[n] = '\0';
}

struct tsw_mac name_mac(const struct tsw_addr *addr)
{
	const __u64 hash = spread(name_mix(name_mix(NAME_SEED, "mac"), addr_text(addr)));
	struct tsw_mac mac;
	unsigned int i;

	for (i = 0; i < sizeof(mac.b); i++)
		mac.b[i] = (__u8)(hash >> (56 - 8 * i));
	mac.b[0] = (__u8)((mac.b[0] & 0xf0) | 0x02);
	return mac;
}
