// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record_set.h"
#include "base/err.h"
#include "base/list.h"

enum { MOST = 512 << 20 }; /* octets of keys and values */

void record_set_free(struct record_set *r)
{
	while (r->n)
		free(r->all[--r->n].key);
	free(r->all);
	*r = (struct record_set){};
}

/* Index of the first record that is not before KEY. */
static size_t place_of(const struct record_set *r, const char *key)
{
	size_t low = 0, high = r->n, middle;

	/* Shortcut: records are mostly added in order. */
	if (r->n && strcmp(r->all[r->n - 1].key, key) < 0)
		return r->n;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(r->all[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct record_set *r, size_t i, const char *key)
{
	return i < r->n && !strcmp(r->all[i].key, key);
}

static size_t octets_of(const struct record *what)
{
	return strlen(what->key) + strlen(what->value) + 2;
}

static int copy(const struct record_set *r, const struct record *what, struct record *to)
{
	const size_t key = strlen(what->key) + 1, value = strlen(what->value) + 1;

	if (r->octets + key + value > MOST)
		return fail(E2BIG, "all records together exceed %d octets", MOST);
	*to = *what;
	to->key = malloc(key + value);
	if (!to->key)
		return fail_memory();
	memcpy(to->key, what->key, key);
	memcpy(to->key + key, what->value, value);
	to->value = to->key + key;
	return 0;
}

int record_set_put(struct record_set *r, const struct record *what)
{
	const size_t i = place_of(r, what->key);
	struct record made;
	int err;

	if (is_at(r, i, what->key) && r->all[i].modified >= what->modified)
		return 0;
	err = copy(r, what, &made);
	if (err)
		return err;
	if (is_at(r, i, what->key)) {
		r->octets += octets_of(&made) - octets_of(&r->all[i]);
		free(r->all[i].key);
		r->all[i] = made;
		return 0;
	}
	if (!list_grow(&r->all, &r->n, sizeof(*r->all))) {
		free(made.key);
		return -ENOMEM;
	}
	memmove(&r->all[i + 1], &r->all[i], (r->n - 1 - i) * sizeof(*r->all));
	r->all[i] = made;
	r->octets += octets_of(&made);
	return 0;
}

void record_set_mark(struct record_set *r, const char *key)
{
	record_set_put(r, &(struct record){.key = (char *)key, .value = "", .modified = 1});
}

static void remove_some(struct record_set *r, size_t first, size_t n)
{
	size_t i;

	for (i = first; i < first + n; i++) {
		r->octets -= octets_of(&r->all[i]);
		free(r->all[i].key);
	}
	r->n -= n;
	memmove(&r->all[first], &r->all[first + n], (r->n - first) * sizeof(*r->all));
}

bool record_set_del(struct record_set *r, const char *key, __s64 modified)
{
	const size_t i = place_of(r, key);

	if (!is_at(r, i, key) || r->all[i].modified > modified)
		return false;
	remove_some(r, i, 1);
	return true;
}

void record_set_del_prefix(struct record_set *r, const char *prefix)
{
	const size_t first = record_set_first(r, prefix);
	size_t n = 0;

	while (record_set_is_in(r, first + n, prefix))
		n++;
	if (n)
		remove_some(r, first, n);
}

const struct record *record_set_find(const struct record_set *r, const char *key)
{
	const size_t i = place_of(r, key);

	return is_at(r, i, key) ? &r->all[i] : NULL;
}

size_t record_set_first(const struct record_set *r, const char *prefix)
{
	return place_of(r, prefix);
}

bool record_set_is_in(const struct record_set *r, size_t i, const char *prefix)
{
	return i < r->n && !strncmp(r->all[i].key, prefix, strlen(prefix));
}
