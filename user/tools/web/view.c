// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "tools/web/view.h"

/* ---- endpoints -------------------------------------------------------------------- */

static bool has_text(const json_t *item, const char *text)
{
	static const char *const keys[] = {"name", "mac", "dev", "host"};
	json_t *list = json_object_get(item, "ip"), *ip;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strstr(json_text_in(item, keys[i]), text))
			return true;
	json_array_foreach(list, i, ip)
		if (strstr(json_string_value(ip) ?: "", text))
			return true;
	return false;
}

json_t *view_endpoints(const json_t *list, const char *tenant, const char *text, size_t from)
{
	json_t *some = json_array(), *item;
	json_int_t total = 0;
	size_t i;

	json_array_foreach(list, i, item) {
		if ((tenant && strcmp(json_text_in(item, "tenant"), tenant)) ||
		    (text && !has_text(item, text)))
			continue;
		if ((size_t)total >= from && json_array_size(some) < VIEW_ITEMS)
			json_array_append(some, item);
		total++;
	}
	return json_pack("{s:I, s:I, s:o}", "total", total, "from", (json_int_t)from, "endpoints",
			 some);
}

/* ---- drops ------------------------------------------------------------------------ */

static json_t *before; /* each counter at the last sample; NULL: there was none */
static json_t *samples[DROPS_SAMPLES];
static size_t n_samples; /* in all; a new one takes the place of the oldest */

static void keep(json_t *sample)
{
	json_t **place = &samples[n_samples++ % DROPS_SAMPLES];

	json_decref(*place);
	*place = json_pack("{s:I, s:o}", "at", (json_int_t)time(NULL), "drops", sample);
}

/* A counter that has fallen began anew, as that of a tenant that was deleted and made again. */
static void add(json_t *sample, const json_t *row, const char *key)
{
	const json_int_t now = json_integer_value(json_object_get(row, "packets"));
	const json_int_t was = json_integer_value(json_object_get(before, key));
	const char *reason = json_text_in(row, "reason");
	const json_int_t sum = json_integer_value(json_object_get(sample, reason));
	const json_int_t more = now < was ? now : now - was;

	if (more)
		json_object_set_new(sample, reason, json_integer(sum + more));
}

void view_sample(const json_t *drops)
{
	json_t *sample = json_object(), *counters = drops ? json_object() : NULL, *row;
	char key[512];
	size_t i;

	json_array_foreach(drops, i, row) {
		snprintf(key, sizeof(key), "%s %s %s", json_text_in(row, "direction"),
			 json_text_in(row, "reason"), json_text_in(row, "tenant"));
		add(sample, row, key);
		json_object_set(counters, key, json_object_get(row, "packets"));
	}
	if (drops && before)
		keep(json_incref(sample));
	json_decref(sample);
	json_decref(before);
	before = counters;
}

json_t *view_drops(void)
{
	const size_t n = n_samples < DROPS_SAMPLES ? n_samples : DROPS_SAMPLES;
	json_t *list = json_array();
	size_t i;

	for (i = n_samples - n; i < n_samples; i++)
		json_array_append(list, samples[i % DROPS_SAMPLES]);
	return json_pack("{s:i, s:o}", "every", DROPS_EVERY_S, "samples", list);
}
