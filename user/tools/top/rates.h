/* SPDX-License-Identifier: GPL-2.0-only */
/* The rates of tenants: the difference of two samples of all counters. */
#ifndef TSW_TOOLS_TOP_RATES_H
#define TSW_TOOLS_TOP_RATES_H

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

/* Opens the switch again for each sample, so that it notices when the switch was taken down. */
int sample_take(struct tsw *t, struct sample *s);
void sample_free(struct sample *s);

enum rate {
	RATE_BITS, /* to and from other hosts, local and gateway */
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

/* In order of names. A tenant that is new, or counts less than before, started at zero. */
int rates_between(const struct sample *before, const struct sample *now, struct rates *rates);
void rates_free(struct rates *rates);

/* Sorts by name if BY is RATES, else from the largest; REVERSE turns the order round. */
void rates_sort(struct rates *rates, unsigned int by, bool reverse);

/* A tenant's drops per second by reason and direction, the most first. The caller frees *ALL. */
struct drop_rate {
	struct tsw_drop_key key;
	double rate;
	__u64 packets; /* in all */
};

int drop_rates(const struct sample *before, const struct sample *now, __u32 tenant,
	       struct drop_rate **all, size_t *n);

/* Three digits and the letter of a power of thousand, in at most five characters: 1.23k. */
const char *rate_text(double rate, char text[8]);

#endif
