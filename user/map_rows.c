// SPDX-License-Identifier: GPL-2.0-only
/* Reads maps as a whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "maps_about.h"

enum { CHUNK = 1024, CURSOR_LEN = MAP_KEY_MAX };

void rows_free(struct rows *rows)
{
	if (!rows->lent) {
		free(rows->keys);
		free(rows->values);
	}
	rows->keys = rows->values = NULL;
	rows->n = 0;
}

static int rows_add(struct rows *rows, enum map map, const char *keys, const char *values, size_t n)
{
	size_t len = map_value_len(map), i;
	char *grown;

	grown = realloc(rows->keys, (rows->n + n) * rows->key_size);
	if (!grown)
		return fail_memory();
	rows->keys = grown;
	memcpy(rows->keys + rows->n * rows->key_size, keys, n * rows->key_size);
	if (rows->only_keys) {
		rows->n += n;
		return 0;
	}
	grown = realloc(rows->values, (rows->n + n) * rows->value_size);
	if (!grown)
		return fail_memory();
	rows->values = grown;
	for (i = 0; i < n; i++, rows->n++) {
		char *to = rows->values + rows->n * rows->value_size;

		if (map_about[map].per_cpu)
			map_add_up((const void *)(values + i * len), rows->value_size, len,
				   (void *)to);
		else
			memcpy(to, values + i * len, len);
	}
	return 0;
}

/* Entries as the kernel gives them, a chunk at a time. */
struct chunk {
	char *keys, *values;
	__u32 room, n;
	char cursor[CURSOR_LEN];
	bool first, last;
};

static void chunk_free(struct chunk *c)
{
	free(c->keys);
	free(c->values);
}

static int chunk_grow(struct chunk *c, enum map map, __u32 room)
{
	chunk_free(c);
	c->room = room;
	c->keys = calloc(room, map_about[map].key);
	c->values = calloc(room, map_value_len(map));
	return c->keys && c->values ? 0 : fail_memory();
}

/* On ENOSPC a bucket of the map has more entries than fit, so reads again with more room. */
static int chunk_read(const struct maps *maps, enum map map, struct chunk *c)
{
	char next[CURSOR_LEN];
	int end = 0, err = c->room ? 0 : chunk_grow(c, map, CHUNK);

	while (!err) {
		c->n = c->room;
		end = 0;
		if (bpf_map_lookup_batch(maps->fd[map], c->first ? NULL : c->cursor, next, c->keys,
					 c->values, &c->n, NULL))
			end = errno;
		if (end != ENOSPC)
			break;
		err = chunk_grow(c, map, c->room * 4);
	}
	if (!err && end && end != ENOENT)
		err = fail(end, "cannot read map %s: %s", map_about[map].name, strerror(end));
	c->first = false;
	c->last = end == ENOENT;
	memcpy(c->cursor, next, sizeof(next));
	return err;
}

static int read_rows(const struct maps *maps, enum map map, struct rows *rows)
{
	struct chunk c = {.first = true};
	int err = 0;

	rows->key_size = map_about[map].key;
	rows->value_size = map_about[map].value;
	while (!err && !c.last) {
		err = chunk_read(maps, map, &c);
		if (!err && c.n)
			err = rows_add(rows, map, c.keys, c.values, c.n);
	}
	chunk_free(&c);
	if (err)
		rows_free(rows);
	return err;
}

static int snapshot_add(const struct maps *maps, enum map map, struct snapshot *s)
{
	int err = s->has[map] ? 0 : read_rows(maps, map, &s->rows[map]);

	s->has[map] = !err;
	return err;
}

/* Lends the snapshot's rows. */
static int lend_rows(const struct maps *maps, enum map map, struct rows *rows)
{
	int err = snapshot_add(maps, map, maps->snapshot);

	*rows = maps->snapshot->rows[map];
	rows->lent = true;
	return err;
}

int map_rows(const struct maps *maps, enum map map, struct rows *rows)
{
	*rows = (struct rows){};
	return map_is_in_snapshot(maps, map) ? lend_rows(maps, map, rows)
					     : read_rows(maps, map, rows);
}

int map_row_keys(const struct maps *maps, enum map map, struct rows *rows)
{
	*rows = (struct rows){.only_keys = true};
	return map_is_in_snapshot(maps, map) ? lend_rows(maps, map, rows)
					     : read_rows(maps, map, rows);
}

int snapshot_index(const struct maps *maps, enum map map, struct snapshot *s)
{
	const struct rows *rows = &s->rows[map];
	int err;

	if (s->in[map].slot || (s->has[map] && !rows->n))
		return 0;
	err = snapshot_add(maps, map, s);
	return err ?: lookup_make(&s->in[map], rows->keys, rows->n, rows->key_size, rows->key_size);
}

const void *snapshot_get(const struct snapshot *s, enum map map, const void *key)
{
	const size_t i = lookup_find(&s->in[map], key);

	return i == LOOKUP_NONE ? NULL : row_value(&s->rows[map], i);
}

void snapshot_free(struct snapshot *s)
{
	int i;

	for (i = 0; i < MAP_COUNT; i++) {
		rows_free(&s->rows[i]);
		lookup_free(&s->in[i]);
	}
	*s = (struct snapshot){};
}

int map_walk(const struct maps *maps, enum map map, map_visit *visit, void *context)
{
	struct chunk c = {.first = true};
	__u32 i;
	int err = 0;

	while (!err && !c.last) {
		err = chunk_read(maps, map, &c);
		for (i = 0; !err && i < c.n; i++)
			err = visit(context, c.keys + i * map_about[map].key,
				    c.values + i * map_about[map].value);
	}
	chunk_free(&c);
	return err;
}

/* A device map has no batches. Its entries may change meanwhile, so the walk has a bound. */
static int count_keys(const struct maps *maps, enum map map, size_t *n)
{
	struct map_usage usage;
	char key[CURSOR_LEN];
	int err = map_usage(maps, map, &usage);

	for (*n = 0; !err && *n < usage.capacity; ++*n) {
		if (!bpf_map_get_next_key(maps->fd[map], *n ? key : NULL, key))
			continue;
		if (errno == ENOENT)
			break;
		err = map_cannot("read", map);
	}
	return err;
}

int map_count(const struct maps *maps, enum map map, size_t *n)
{
	struct chunk c = {.first = true};
	int err = 0;

	if (map_is_of_devices(map))
		return count_keys(maps, map, n);
	for (*n = 0; !err && !c.last; *n += err ? 0 : c.n)
		err = chunk_read(maps, map, &c);
	chunk_free(&c);
	return err;
}
