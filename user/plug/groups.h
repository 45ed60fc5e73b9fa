/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups of an interface, for the tenant's policy. The network's configuration names groups
 * that all of its endpoints are in. A container may choose others beside these, if the
 * configuration offers them.
 */
#ifndef TSW_PLUG_GROUPS_H
#define TSW_PLUG_GROUPS_H

#include <stdbool.h>

#include <tsw/object.h>

enum { GROUPS_OFFERED = 64 };

struct groups_rule {
	struct tsw_name offered[GROUPS_OFFERED];
	unsigned int n;
	bool any; /* containers may choose any group of the tenant */
};

/* Adds NAME unless LIST has it. -EINVAL: NAME is invalid, or LIST is full. */
int groups_add(struct tsw_group_list *list, const char *name);

/* Adds a name that containers may choose, or "any". */
int groups_offer(struct groups_rule *rule, const char *name);

/* Adds a container's choice to LIST. -EPERM: the configuration does not offer it. */
int groups_choose(const struct groups_rule *rule, const char *name, struct tsw_group_list *list);

/* Calls EACH for the names in TEXT, which commas separate. */
int groups_split(const char *text, int (*each)(void *context, const char *name), void *context);

#endif
