// SPDX-License-Identifier: GPL-2.0-only
/* Checks structures that a program filled in, which no reader of text has seen. */
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"

static int check_items(const struct field *f, const struct field_items *items)
{
	__u32 i;

	if (items->n > items->most)
		return 1;
	for (i = 0; i < items->n && (f->kind == FIELD_NAMES || f->kind == FIELD_GROUPS); i++)
		if (strnlen(items->at + i * items->size, TSW_NAME_LEN) == TSW_NAME_LEN)
			return 1;
	return 0;
}

static int check_who(const struct tsw_policy_who *who)
{
	return who->who > TSW_WHO_CIDR || strnlen(who->group.s, TSW_NAME_LEN) == TSW_NAME_LEN;
}

/* Not 0: the value would lead beyond the structure or a table of words. */
static int check_bounds(const struct field *f, const void *object)
{
	const struct field_items items = field_items(f, object);
	const void *at = (const char *)object + f->offset;
	__u32 choices = 0;

	if (items.size)
		return check_items(f, &items);
	switch (f->kind) {
	case FIELD_NAME:
	case FIELD_NEW_NAME:
	case FIELD_ZONE:
	case FIELD_DOMAIN:
		return strnlen(at, TSW_NAME_LEN) == TSW_NAME_LEN;
	case FIELD_DEVICE:
		return strnlen(at, IFNAMSIZ) == IFNAMSIZ;
	case FIELD_FILE:
		return strnlen(at, TSW_BOOT_FILE) == TSW_BOOT_FILE;
	case FIELD_LINE:
		return strnlen(at, sizeof(struct tsw_description)) ==
		       sizeof(struct tsw_description);
	case FIELD_CLOSED:
		return ((const struct tsw_closed_list *)at)->how > TSW_CLOSED_BESIDE ||
		       ((const struct tsw_closed_list *)at)->n > TSW_CLOSED_MOST;
	case FIELD_WHO:
		return check_who(at);
	case FIELD_CHOICE:
	case FIELD_IF_CHOICE:
		while (f->choices[choices])
			choices++;
		return *(const __u32 *)at >= choices;
	default:
		return 0;
	}
}

int fields_clean(struct json_keys keys, const void *object, void *clean)
{
	json_t *json;
	size_t i;
	int err;

	for (i = 0; keys.fields[i].key; i++)
		if (keys.may & FIELD(i) && check_bounds(&keys.fields[i], object))
			return misuse("%s: the value is out of range", keys.fields[i].key);
	json = fields_json(keys.fields, keys.may, object);
	err = fields_read(json, NULL, keys, clean, NULL);
	json_decref(json);
	return err;
}
