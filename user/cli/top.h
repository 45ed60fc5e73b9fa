/* SPDX-License-Identifier: GPL-2.0-only */
/* The live view of `top`: what is shown, and what keys do to that. */
#ifndef TSW_TOP_H
#define TSW_TOP_H

#include "cli/rates.h"

struct top {
	const char *instance;
	double interval; /* seconds */
	struct sample before, now;
	struct rates rates;
	unsigned int by; /* RATES: name */
	bool reverse;
	size_t chosen; /* index of a row */
	size_t first;  /* the first row shown */
	bool drops;    /* of one tenant, in place of the list */
	__u32 tenant;  /* which one */
	bool ended;
};

/* The rates are of these samples, in the order that was asked for. */
int top_measure(struct top *top);

/* May change CHOSEN and FIRST, so that the one is in sight of the other. */
void top_draw(struct top *top);
void top_key(struct top *top, int key);

#endif
