// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "plug/groups.h"
#include "record/fields.h"

static bool has(const struct tsw_name *all, unsigned int n, const struct tsw_name *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(all[i].s, name->s))
			return true;
	return false;
}

int groups_add(struct tsw_group_list *list, const char *name)
{
	struct tsw_endpoint_spec spec = {.group = *list};
	struct tsw_name group;
	int err = parse_group(name, &group);

	if (err || has(list->at, list->n, &group))
		return err;
	err = field_read(&endpoint_fields[ENDPOINT_GROUP], name, &spec);
	if (!err)
		*list = spec.group;
	return err;
}

int groups_offer(struct groups_rule *rule, const char *name)
{
	int err;

	if (!strcmp(name, "any")) {
		rule->any = true;
		return 0;
	}
	if (rule->n == GROUPS_OFFERED)
		return misuse("%s is one group too many to choose from: with more than %d say any",
			      quoted(name), GROUPS_OFFERED);
	err = parse_group(name, &rule->offered[rule->n]);
	rule->n += !err;
	return err;
}

int groups_choose(const struct groups_rule *rule, const char *name, struct tsw_group_list *list)
{
	struct tsw_name group;
	int err = parse_group(name, &group);

	if (err || has(list->at, list->n, &group))
		return err;
	if (!rule->any && !has(rule->offered, rule->n, &group))
		return fail(EPERM, "the network does not let its containers choose group %s",
			    quoted(name));
	return groups_add(list, name);
}

int groups_split(const char *text, int (*each)(void *context, const char *name), void *context)
{
	char cleanup_free *copy = strdup(text);
	char *name, *rest = copy;
	int err = copy ? 0 : fail_memory();

	while (!err && (name = strsep(&rest, ",")))
		err = each(context, name);
	return err;
}
