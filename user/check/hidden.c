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

void check_hidden(const struct snapshot *s, json_t *warnings)
{
	const struct rows *rows = &s->rows[MAP_TENANTS];
	char object[2 * TSW_NAME_LEN + 1];
	const char *name;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		name = ((const struct tsw_tenant *)row_value(rows, i))->name;
		check_name(name, name, warnings);
	}
	rows = &s->rows[MAP_HOSTS];
	for (i = 0; i < rows->n; i++) {
		name = ((const struct tsw_host *)row_value(rows, i))->name;
		check_name(name, name, warnings);
	}
	rows = &s->rows[MAP_ENDPOINTS];
	for (i = 0; i < rows->n; i++) {
		const struct tsw_endpoint_key *key = row_key(rows, i);

		if (!hidden_in(key->name.s))
			continue;
		snprintf(object, sizeof(object), "%s/%s", snapshot_tenant(s, key->tenant),
			 key->name.s);
		check_name(key->name.s, object, warnings);
	}
}
