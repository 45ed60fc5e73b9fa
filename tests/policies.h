/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies for the packet tests, written as the command writes them. */
#ifndef TSW_TESTS_POLICIES_H
#define TSW_TESTS_POLICIES_H

#include <linux/in.h>

#include "packet.h"

#define TENANT_MARK 0x74500001 /* to red, from the host's routing */

/* Of a tenant, for its ports here, too. It begins with no rules. */
void lab_policy_begin(__u32 tenant, enum tsw_policy_mode mode, bool deny);
void lab_policy_mode(__u32 tenant, enum tsw_policy_mode mode);
void lab_policy_connections(__u32 tenant, __u32 most);
void lab_policy_table(__u32 tenant, __u32 table); /* what it followed is forgotten */
void lab_policy_changed(__u32 tenant);		  /* a generation more */
void lab_policy_member(__u32 tenant, const char *mac, __u16 group, __u16 other); /* 0: none */
void lab_policy_cidr(__u32 tenant, const char *ip, __u32 len, __u16 number);	 /* len of 128 */

/* A way; its choice is replaced. It counts at once, for new connections and old ones. */
struct policy_way {
	__u32 tenant; /* 0: red */
	__u16 from, to;
	__u8 proto, length;
	__u16 port;
	__u32 number, priority;
	bool deny;
};
void lab_policy_way(const struct policy_way *way);
/* The same, where it weighs more than what is there. */
void lab_policy_way_add(const struct policy_way *way);
void lab_policy_way_unset(const struct policy_way *way);

__u64 lab_policy_hits(__u32 tenant, __u32 number); /* packets */
size_t lab_policy_conns(__u32 tenant);		   /* entries that are not over */
void lab_policy_age(__u32 tenant, __u32 ticks);	   /* all are so much nearer to their end */

/* A frame through a program, at the door as red's: it goes on. */
bool policy_passes(enum program program, __u32 dev, const struct spec *spec);
/* The same: 0, or the reason for which red's was dropped; -1: for none. */
int policy_sent(enum program program, __u32 dev, const struct spec *spec);

#endif
