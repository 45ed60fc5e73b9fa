// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/closed.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"

#define DEFAULT "default"

static int compare(const struct tsw_prefix *a, const struct tsw_prefix *b)
{
	const int order = memcmp(&a->addr, &b->addr, sizeof(a->addr));

	return order ?: (int)a->len - (int)b->len;
}

void closed_insert(struct tsw_closed_list *list, const struct tsw_prefix *network)
{
	__u32 i = list->n++;

	for (; i && compare(&list->at[i - 1], network) > 0; i--)
		list->at[i] = list->at[i - 1];
	list->at[i] = *network;
}

static int read_network(const char *text, struct tsw_prefix *network)
{
	if (strchr(text, '/'))
		return parse_network(text, network);
	network->len = 128;
	return parse_ip(text, &network->addr);
}

static int add_network(const char *text, struct tsw_closed_list *list)
{
	struct tsw_prefix network;
	__u32 i;
	int err = read_network(text, &network);

	if (err)
		return err;
	if (list->n == TSW_CLOSED_MOST)
		return misuse("%s is one network too many: at most %d can be closed", quoted(text),
			      TSW_CLOSED_MOST);
	for (i = 0; i < list->n; i++)
		if (!compare(&list->at[i], &network))
			return misuse("%s is given twice", quoted(text));
	closed_insert(list, &network);
	if (list->how == TSW_CLOSED_DEFAULT)
		list->how = TSW_CLOSED_ALONE;
	return 0;
}

/* TSW_CLOSED_ALONE with an empty list is the word `none`. */
int closed_add(const char *text, struct tsw_closed_list *list)
{
	const bool none = !strcmp(text, CLOSED_NONE);

	if ((none && list->how != TSW_CLOSED_DEFAULT) ||
	    (list->how == TSW_CLOSED_ALONE && !list->n))
		return misuse("\"" CLOSED_NONE "\" stands alone, without other networks");
	if (none) {
		list->how = TSW_CLOSED_ALONE;
		return 0;
	}
	if (strcmp(text, DEFAULT))
		return add_network(text, list);
	if (list->how == TSW_CLOSED_BESIDE)
		return misuse("\"" DEFAULT "\" is given twice");
	list->how = TSW_CLOSED_BESIDE;
	return 0;
}

bool closed_equal(const struct tsw_closed_list *a, const struct tsw_closed_list *b)
{
	return (a->how == TSW_CLOSED_ALONE) == (b->how == TSW_CLOSED_ALONE) && a->n == b->n &&
	       !memcmp(a->at, b->at, a->n * sizeof(a->at[0]));
}

json_t *closed_words(const struct tsw_closed_list *list)
{
	json_t *json = json_array();
	__u32 i;

	if (list->how != TSW_CLOSED_ALONE)
		json_array_append_new(json, json_string(DEFAULT));
	for (i = 0; i < list->n; i++)
		json_array_append_new(json, json_string(network_text(&list->at[i])));
	return json;
}

json_t *closed_json(const struct tsw_closed_list *list)
{
	return list->how != TSW_CLOSED_ALONE && !list->n ? NULL : closed_words(list);
}
