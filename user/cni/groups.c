// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cni/want.h"
#include "plug/groups.h"

enum { ARG = 1024 };
#define LABEL "tsw.group"

/* What the network's configuration says, by KEY: a list of names, or one. */
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

/* {"args": {"cni": {"labels": [{"key": ..., "value": ...}]}}}, by the specification's conventions. */
static int read_labels(struct cni *c, struct choosing *choosing)
{
	const json_t *args = json_object_get(json_object_get(c->config, "args"), "cni");
	const json_t *labels, *item;
	const char *key, *value;
	size_t i;
	int err = cni_list(c, args, "labels", &labels);

	if (err)
		return err;
	json_array_foreach(labels, i, item) {
		err = err ?: cni_text(c, item, "key", &key);
		if (err || !key || strcmp(key, LABEL))
			continue;
		err = cni_text(c, item, "value", &value);
		err = err ?: groups_split(value ?: "", choose, choosing);
		if (err && !c->code)
			fail_where("label %s: ", LABEL);
	}
	return cni_code(c, CNI_BAD_CONFIG, err);
}

static int read_arg(struct cni *c, struct choosing *choosing)
{
	char text[ARG];
	int err = cni_arg(c, "TSW_GROUP", text, sizeof(text));

	if (err)
		return err == -ENOENT ? 0 : err;
	err = groups_split(text, choose, choosing);
	if (err)
		fail_where("CNI_ARGS: TSW_GROUP: ");
	return cni_code(c, CNI_BAD_ENV, err);
}

int want_groups(struct cni *c, struct tsw_group_list *list)
{
	struct choosing choosing = {.list = list};
	int err = read_names(c, "groups", add, list);

	err = err ?: read_names(c, "groupChoice", offer, &choosing.rule);
	err = err ?: read_labels(c, &choosing);
	return err ?: read_arg(c, &choosing);
}
