// SPDX-License-Identifier: GPL-2.0-only
#include "plug/names.h"
#include "record/plugin_device.h"

__u64 name_mix(__u64 hash, const char *text)
{
	do {
		hash ^= (unsigned char)*text;
		hash *= 0x100000001b3ULL;
	} while (*text++); /* includes the NUL, so that "a" "bc" differs from "ab" "c" */
	return hash;
}

/* Takes the high bits first, because the low bits of FNV are its worst. */
void name_letters(__u64 hash, unsigned int n, char *text)
{
	unsigned int i;

	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < n; i++, hash <<= 5)
		text[i] = PLUGIN_LETTERS[hash >> 59];
	text[n] = '\0';
}
