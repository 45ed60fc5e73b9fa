// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/clock.h"

/* The offset of this time namespace in nanoseconds, see time_namespaces(7); 0 without any. */
static __s64 read_offset(void)
{
	long long seconds, ns;
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	__s64 offset = 0;

	if (!f)
		return 0;
	if (fscanf(f, "monotonic %lld %lld", &seconds, &ns) == 2)
		offset = seconds * (__s64)SECOND_NS + ns;
	fclose(f);
	return offset;
}

__u64 clock_kernel_ns(void)
{
	static _Thread_local __s64 offset;
	static _Thread_local int known;

	if (!known) {
		offset = read_offset();
		known = 1;
	}
	return clock_ns(CLOCK_MONOTONIC) - offset;
}

void clock_text(__u64 ns, char *text, size_t len)
{
	const time_t seconds = (time_t)(ns / SECOND_NS);
	size_t used;
	struct tm utc;

	gmtime_r(&seconds, &utc);
	used = strftime(text, len, "%FT%T", &utc);
	snprintf(text + used, len - used, ".%09lluZ", ns % SECOND_NS);
}
