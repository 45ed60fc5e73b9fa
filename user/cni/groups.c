// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/want.h"
#include "plug/groups.h"

/* Reads KEY of the network's configuration: a list of names, or one name. */
static int read_names(struct cni *c, const char *key, int (*each)(void *context, const char *name),
		      void *context)
{
	const json_t *value = json_object_get(c->config, key), *item;
	const char *text = json_string_value(value);
	size_t i;
	int err = text || !value ? 0 : cni_list(c, c->config, key, &value);

	if (text)
		err = each(context, text);
	json_array_foreach(value, i, item) {
		err = err ?: each(context, json_string_value(item) ?: "");
	}
	if (err && !c->code)
		fail_where("%s: ", key);
	return cni_code(c, CNI_BAD_CONFIG, err);
}

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
	int err = read_names(c, "groups", add, list);

	err = err ?: read_names(c, "groupChoice", offer, &choosing.rule);
	return err ?: cni_each_word(c, "group", choose_all, &choosing);
}
