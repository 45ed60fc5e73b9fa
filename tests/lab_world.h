/* SPDX-License-Identifier: GPL-2.0-only */
/* The bench's uplinks, and what of the world's is the router's. */
#ifndef TSW_TESTS_LAB_WORLD_H
#define TSW_TESTS_LAB_WORLD_H

#include "lab.h"

#define IP_WIRE2 "203.0.113.1" /* this host's, where IP_WORLD is */
#define IP6_WIRE2 "2001:db8:3::1"

void lab_uplink(__u32 ifindex, __u32 slot); /* ifindex 0: SLOT is the default's ifindex */
void lab_uplink_net(__u32 ifindex, const char *next_hop, __u32 slot);
void lab_uplink_addr(const char *ip, __u32 ifindex);
void lab_publish(enum tsw_family family, __u8 proto, __u32 port, __u32 tenant);
void lab_routed(const char *ip, __u32 len, __u32 tenant); /* len of its family */
void lab_snat_user(const char *ip);
/* A tenant has sent it; ID of an echo. */
void lab_asked(const char *peer, const char *own, __u8 proto, __u16 id, __u32 seconds_ago);
void lab_asked_sctp(const char *peer, __u16 peer_port, const char *own, __u16 own_port);
void lab_expected(const char *peer, const char *own, __u8 proto, __u16 port,
		  const struct tsw_expected *as);
/* Is it the only one? ID as the map has it. */
bool lab_asked_is(const char *peer, const char *own, __u8 proto, __u32 id);
bool lab_asked_is_empty(void);

#endif
