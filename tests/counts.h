/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters that the programs keep, read and compared all together. */
#ifndef TSW_TESTS_COUNTS_H
#define TSW_TESTS_COUNTS_H

#include "lab.h"

/* The counters of struct tsw_stats, in its order. */
enum { LOCAL, TX, RX, GATEWAY, SLOW_TX, SLOW_RX, ANSWERED, MOVES };
#define MOVE(counter) (1U << (counter))

/* All counters there are, of all tenants and hosts. */
struct counts {
	struct tsw_counter stats[TENANTS][MOVES];			  /* by lab_slot() */
	struct tsw_counter hosts[HOSTS][2];				  /* tx, rx */
	struct tsw_counter drops[TENANTS + 1][TSW_DROP_MAX][TSW_DIR_MAX]; /* the last: nobody's */
};

void counts_clear(void);
void counts_read(struct counts *counts);
bool counts_equal(const char *name, const struct counts *got, const struct counts *want);

#endif
