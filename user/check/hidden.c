// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/hidden.h"
#include "base/problem.h"
#include "check/maps.h"

static void check_name(const char *name, const char *object, json_t *warnings)
{
	const __u32 character = hidden_in(name);

	if (character)
		problem(warnings, "hidden_name", object,
			"its name has the invisible character U+%04X, which apply refuses",
			character);
}

/* The names are at OFFSET of the map's values. */
static void check_names(const struct rows *rows, size_t offset, json_t *warnings)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const char *name = (const char *)row_value(rows, i) + offset;

		check_name(name, name, warnings);
	}
}

void check_hidden(const struct snapshot *s, json_t *warnings)
{
	const struct rows *rows = &s->rows[MAP_ENDPOINTS];
	char object[2 * TSW_NAME_LEN + 1];
	size_t i;

	check_names(&s->rows[MAP_TENANTS], offsetof(struct tsw_tenant, name), warnings);
	check_names(&s->rows[MAP_HOSTS], offsetof(struct tsw_host, name), warnings);
	for (i = 0; i < rows->n; i++) {
		const struct tsw_endpoint_key *key = row_key(rows, i);

		if (!hidden_in(key->name.s))
			continue;
		snprintf(object, sizeof(object), "%s/%s", snapshot_tenant(s, key->tenant),
			 key->name.s);
		check_name(key->name.s, object, warnings);
	}
}
