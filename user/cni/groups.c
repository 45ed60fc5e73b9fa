// SPDX-License-Identifier: GPL-2.0-only
#include "cni/want.h"
#include "plug/groups.h"

static int add(void *list, const char *name)
{
	return groups_add(list, name);
}

static int offer(void *rule, const char *name)
{
	return groups_offer(rule, name);
}

struct choosing {
	struct groups_rule rule;
	struct tsw_group_list *list;
};

static int choose(void *context, const char *name)
{
	const struct choosing *choosing = context;

	return groups_choose(&choosing->rule, name, choosing->list);
}

static int choose_all(void *context, const char *names)
{
	return groups_split(names, choose, context);
}

int want_groups(struct cni *c, struct tsw_group_list *list)
{
	struct choosing choosing = {.list = list};
	int err = cni_each_name(c, "groups", add, list);

	err = err ?: cni_each_name(c, "groupChoice", offer, &choosing.rule);
	return err ?: cni_each_word(c, "group", choose_all, &choosing);
}
