/* SPDX-License-Identifier: GPL-2.0-only */
/* The router's table `inet tsw`, as gateway.nft has it. */
#ifndef TSW_RULESET_H
#define TSW_RULESET_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/switch.h>

#include "kernel/nft.h"

/* Loads it where it is not there, and tells so. What is there stays as it is. */
int ruleset_open(bool *made);

/*
 * The table with the elements of C, and nothing else in it, in place of what is there: no packet is
 * lost meanwhile. Frees C, which may be NULL.
 */
int ruleset_rebuild(struct nft_change *c);

/* Appends what is missing, or too much, of chains, rules and the elements of C. Frees C. */
int ruleset_check(struct nft_change *c, const char *const *but, json_t *problems);

/* By which ports tenants leave as this host, in what is loaded from here on. */
void ruleset_ports(const struct tsw_port_range *ports);
/* The same for the rules that are there, at one stroke. */
int ruleset_put_ports(void);

#endif
