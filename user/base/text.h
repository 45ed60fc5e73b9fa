/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for people: quoting, names, addresses. */
#ifndef TSW_TEXT_H
#define TSW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

/*
 * Each of these returns one of a few static buffers in turn: enough for one message.
 */
const char *quoted(const char *text);  /* in "", hidden characters escaped, long text cut */
const char *escaped(const char *text); /* the same without "" */
bool is_plain_word(const char *text);  /* a shell takes it as it is, and no command as an option */
const char *mac_text(const struct tsw_mac *mac);
const char *addr_text(const struct tsw_addr *addr);
const char *prefix_text(const struct tsw_prefix *prefix);
const char *target_text(const struct tsw_addr *addr, __u32 port); /* "IP:PORT", "[IP]:PORT" */
const char *network_text(const struct tsw_prefix *network); /* one address alone without /128 */

/* As in state files: `group:web` or `cidr:10.0.0.0/8`; `80-90`; or `any`. */
struct tsw_policy_who;
struct tsw_port_range;
const char *who_text(const struct tsw_policy_who *who);
const char *ports_text(const struct tsw_port_range *ports);

bool addr_is_v4(const struct tsw_addr *addr);
bool addr_is_link_local(const struct tsw_addr *addr); /* IPv6 only: fe80::/10 */
enum tsw_family addr_family(const struct tsw_addr *addr);
struct tsw_addr addr_service(enum tsw_family family); /* the switch answers by it */
bool addr_is_service(const struct tsw_addr *addr);
const char *family_text(enum tsw_family family);
bool addr_is_none(const struct tsw_addr *addr);
bool addr_equal(const struct tsw_addr *a, const struct tsw_addr *b);
bool addr_is_among(const struct tsw_addr *addr, const struct tsw_addr *all, size_t n);
struct tsw_addr_list;
bool addr_list_has(const struct tsw_addr_list *list, const struct tsw_addr *addr);
struct tsw_addr addr_from_v4(__be32 v4);
bool mac_equal(const struct tsw_mac *a, const struct tsw_mac *b);

/* The ends of the network that an address is in: 10.0.0.0 and 10.0.0.255 of 10.0.0.7/24. */
struct tsw_addr prefix_first(const struct tsw_prefix *prefix);
struct tsw_addr prefix_last(const struct tsw_prefix *prefix);
bool prefix_overlap(const struct tsw_prefix *a, const struct tsw_prefix *b);
bool prefix_has(const struct tsw_prefix *prefix, const struct tsw_addr *addr);

#endif
