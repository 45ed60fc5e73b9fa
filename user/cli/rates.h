/* SPDX-License-Identifier: GPL-2.0-only */
/* What tenants do in a second: the difference of two samples of all counters. */
#ifndef TSW_RATES_H
#define TSW_RATES_H

#include <time.h>

#include "record/counters.h"
#include "store/tsw.h"

struct sample {
	struct timespec at;	 /* CLOCK_MONOTONIC */
	char name[TSW_NAME_LEN]; /* of the switch's host */
	struct tsw_totals totals;
	struct tenants tenants;
	struct tsw_stats *stats; /* of each tenant's row */
	struct drops drops;
};

/* Opens the switch anew, so that one that was taken down is not read on. */
int sample_take(struct tsw *t, struct sample *s);
void sample_free(struct sample *s);

enum rate {
	RATE_BITS, /* of all four ways that follow */
	RATE_PACKETS,
	RATE_TX_BITS, /* to other hosts */
	RATE_TX_PACKETS,
	RATE_RX_BITS,
	RATE_RX_PACKETS,
	RATE_LOCAL_BITS,
	RATE_GATEWAY_BITS,
	RATE_DROPS,
	RATES
};

struct rates {
	struct rates_row {
		__u32 id;
		const char *name; /* in the later sample */
		double of[RATES]; /* a second */
	} * row;
	size_t n;
	double sum[RATES];
	double seconds; /* between the samples */
};

/* In order of names. What was not there before, or counts less than then, began at zero. */
int rates_between(const struct sample *before, const struct sample *now, struct rates *rates);
void rates_free(struct rates *rates);

/* RATES: by name; else the largest first, or with REVERSE the smallest. */
void rates_sort(struct rates *rates, unsigned int by, bool reverse);

/* Drops of one tenant a second, by reason and direction, the most first; free *ALL. */
struct drop_rate {
	struct tsw_drop_key key;
	double rate;
	__u64 packets; /* in all */
};

int drop_rates(const struct sample *before, const struct sample *now, __u32 tenant,
	       struct drop_rate **all, size_t *n);

/* Three digits and a power of thousand, in at most five characters: 1.23k. */
const char *rate_text(double rate, char text[8]);

#endif
