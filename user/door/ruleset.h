/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables `inet tsw` and `netdev tsw`, as gateway.nft has them. Nothing else of nftables is
 * ever touched.
 */
#ifndef TSW_RULESET_H
#define TSW_RULESET_H

#include <jansson.h>

#include "kernel/nft.h"

/*
 * Loads `inet tsw` where it is not there, and `netdev tsw` again where it is not whole, as after
 * its device was away. What is there of the first stays as it is: its elements are others' work.
 */
int ruleset_open(void);

/*
 * The tables with the elements of C, and nothing else in them, in place of what is there: no packet
 * is lost meanwhile. Frees C, which may be NULL.
 */
int ruleset_rebuild(struct nft_change *c);

int ruleset_close(void);

/* Appends what is missing, or too much, of chains, rules and the elements of C. Frees C. */
int ruleset_check(struct nft_change *c, json_t *problems);

#endif
