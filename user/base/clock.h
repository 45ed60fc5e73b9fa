/* SPDX-License-Identifier: GPL-2.0-only */
/* The time, in nanoseconds. */
#ifndef TSW_CLOCK_H
#define TSW_CLOCK_H

#include <time.h>

#include <linux/types.h>

#define SECOND_NS 1000000000ULL
#define MS_NS 1000000ULL

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (__u64)now.tv_sec * SECOND_NS + (__u64)now.tv_nsec;
}

/*
 * The time that bpf_ktime_get_ns() gives the programs: CLOCK_MONOTONIC without the offset of the
 * command's time namespace.
 */
__u64 clock_kernel_ns(void);

/* Nanoseconds since 1970 as text of RFC 3339: 2026-01-02T03:04:05.000000006Z. */
void clock_text(__u64 ns, char *text, size_t len);

#endif
