/* SPDX-License-Identifier: GPL-2.0-only */
/* The router's nftables table `inet tsw`, loaded from gateway.nft. */
#ifndef TSW_RULESET_H
#define TSW_RULESET_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/switch.h>

#include "kernel/nft.h"

/* Loads the table if it is missing; then *MADE. An existing table stays as it is. */
int ruleset_open(bool *made);

/*
 * Replaces the table by one with only the elements of C, without losing a packet. Frees C, which
 * may be NULL.
 */
int ruleset_rebuild(struct nft_change *c);

/*
 * Appends a problem for chains, rules and elements of C that are missing or too many. BUT: names of
 * sets to skip, up to a NULL; may be NULL. Frees C.
 */
int ruleset_check(struct nft_change *c, const char *const *but, json_t *problems);

/* Sets the ports for outgoing NAT in rules that are loaded from now on. */
void ruleset_ports(const struct tsw_port_range *ports);
/* Loads the existing NAT rules again with these ports, in one transaction. */
int ruleset_put_ports(void);

#endif
