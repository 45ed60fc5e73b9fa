// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "plug/json.h"

static int wrong_type(const char *key, const json_t *value, const char *want)
{
	char cleanup_free *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	return misuse("%s: %s is not %s", key, quoted(text ?: "?"), want);
}

/* An equal key comes before one in another letter case. */
const json_t *plug_find(const json_t *object, const char *key)
{
	json_t *found = json_object_get(object, key), *value;
	const char *other;

	if (!found) {
		json_object_foreach((json_t *)object, other, value) {
			if (!strcasecmp(other, key))
				found = value;
		}
	}
	return json_is_null(found) ? NULL : found;
}

int plug_text(const json_t *object, const char *key, const char **value)
{
	const json_t *found = plug_find(object, key);

	*value = json_string_value(found);
	return !found || *value ? 0 : wrong_type(key, found, "a text");
}

int plug_number(const json_t *object, const char *key, json_int_t *value)
{
	const json_t *found = plug_find(object, key);

	*value = json_integer_value(found);
	return !found || (json_is_integer(found) && *value >= 0)
		       ? 0
		       : wrong_type(key, found, "a whole number");
}

int plug_list(const json_t *object, const char *key, const json_t **value)
{
	*value = plug_find(object, key);
	return !*value || json_is_array(*value) ? 0 : wrong_type(key, *value, "a list");
}

int plug_object(const json_t *object, const char *key, const json_t **value)
{
	*value = plug_find(object, key);
	return !*value || json_is_object(*value) ? 0 : wrong_type(key, *value, "an object");
}
