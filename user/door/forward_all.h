/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before Linux 6.17 IPv6 forwards what comes in anywhere, or nothing: conf.all.forwarding. To
 * write it makes each device a router's, which drops what routers advertise; so each gets back
 * what it had. What is under way is noted in tsw_uplinks, under index 0.
 */
#ifndef TSW_FORWARD_ALL_H
#define TSW_FORWARD_ALL_H

#include "store/tsw.h"

/* Entries of tsw_uplinks that are no device's. */
enum { UPLINK_ALL = 0 };
#define UPLINK_DEFAULT 0xffffffffU

/* The host forwards IPv6 for gateways alone. */
bool forward_all_is_ours(const struct tsw *t);

/* Before the rules that keep all devices from more: notes it, where this kernel needs it. */
int forward_all_note(struct tsw *t);
/* Behind them. */
int forward_all_open(struct tsw *t);
int forward_all_close(struct tsw *t);

#endif
