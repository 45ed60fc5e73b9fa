/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which groups an interface is in, for the tenant's policy. Whoever writes the network's
 * configuration decides: its endpoints are in those groups, whatever a container asks for, and a
 * container may choose others beside them where the configuration offers these.
 */
#ifndef TSW_PLUG_GROUPS_H
#define TSW_PLUG_GROUPS_H

#include <stdbool.h>

#include <tsw/object.h>

enum { GROUPS_OFFERED = 64 };

struct groups_rule {
	struct tsw_name offered[GROUPS_OFFERED];
	unsigned int n;
	bool any; /* of the tenant */
};

/* -EINVAL: NAME is no group's, or one too many. One that is in LIST already is no error. */
int groups_add(struct tsw_group_list *list, const char *name);

/* One name that containers may choose, or "any". */
int groups_offer(struct groups_rule *rule, const char *name);

/* A container's choice, beside what LIST has. -EPERM: it is not offered. */
int groups_choose(const struct groups_rule *rule, const char *name, struct tsw_group_list *list);

/* EACH for the names in TEXT, which commas separate. */
int groups_split(const char *text, int (*each)(void *context, const char *name), void *context);

#endif
