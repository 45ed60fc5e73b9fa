// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "cmd/show.h"
#include "record/tenant_find.h"

json_t *show_of_tenant(struct show *s, const char *tenant, const struct field *fields, __u64 mask,
		       const void *spec)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(tenant));

	fields_add(fields, mask, spec, item);
	json_array_append_new(s->list, item);
	return item;
}

void show_print(struct show *s)
{
	struct out *out = &s->cli->out;
	json_t *item;
	size_t i;

	if (!out->open)
		out_list_begin(out);
	json_array_foreach(s->list, i, item)
		out_item(out, json_incref(item));
	json_array_clear(s->list);
}

/* Texts by strcmp(), numbers by size. */
static int compare(const void *a, const void *b, void *keys)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b, *u, *v;
	const char *const *key = keys;
	int order = 0;

	for (; !order && *key; key++) {
		u = json_object_get(x, *key);
		v = json_object_get(y, *key);
		order = json_is_string(u) ? strcmp(json_string_value(u), json_string_value(v))
					  : (json_integer_value(u) > json_integer_value(v)) -
						    (json_integer_value(u) < json_integer_value(v));
	}
	return order;
}

int show_sort(struct show *s, const char *const *keys)
{
	json_t **all = calloc(json_array_size(s->list) + 1, sizeof(*all)), *item;
	size_t i, n;

	if (!all)
		return fail_memory();
	json_array_foreach(s->list, i, item)
		all[i] = json_incref(item);
	qsort_r(all, i, sizeof(*all), compare, (void *)keys);
	json_array_clear(s->list);
	for (n = i, i = 0; i < n; i++)
		json_array_append_new(s->list, all[i]);
	free(all);
	return 0;
}

int show_each_tenant(struct show *s, void *context,
		     int (*each)(struct show *s, void *context, const struct tenant_row *row))
{
	struct tsw *t = &s->cli->tsw;
	cleanup_tenants struct tenants all = {};
	struct tenant_row one;
	size_t i;
	int err;

	if (*s->w->name.s) {
		err = tenant_find(t, &s->w->name, &one.id, &one.tenant);
		return err ?: each(s, context, &one);
	}
	err = tenants_read(t, &all);
	for (i = 0; !err && i < all.n; i++) {
		err = each(s, context, &all.row[i]);
		if (!err)
			show_print(s);
	}
	return err;
}
