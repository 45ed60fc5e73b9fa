/* SPDX-License-Identifier: GPL-2.0-only */
/* The live view of `top`: the display and the keys. */
#ifndef TSW_TOOLS_TOP_VIEW_H
#define TSW_TOOLS_TOP_VIEW_H

#include "tools/top/rates.h"

struct top {
	const char *instance;
	double interval; /* seconds */
	struct sample before, now;
	struct rates rates;
	unsigned int by; /* RATES: name */
	bool reverse;
	size_t chosen; /* index of a row */
	size_t first;  /* the first row shown */
	bool drops;    /* shows the drops of one tenant in place of the list */
	__u32 tenant;  /* whose drops */
	bool ended;
};

/* Computes and sorts the rates between the two samples. */
int top_measure(struct top *top);

/* May change `chosen` and `first`, so that the chosen row is visible. */
void top_draw(struct top *top);
void top_key(struct top *top, int key);

#endif
