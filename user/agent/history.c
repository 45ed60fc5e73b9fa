// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "agent/history.h"

enum { PATH = 160 };

void history_take(struct history *p, const struct etcd_entry *entry)
{
	const size_t len = strlen(entry->key);

	if (entry->modified < p->modified || entry->key[len - 1] != '/' || len >= sizeof(p->key) ||
	    strlen(entry->value) >= sizeof(p->value))
		return;
	memcpy(p->key, entry->key, len + 1);
	snprintf(p->value, sizeof(p->value), "%s", entry->value);
	p->modified = entry->modified;
}

/* ---- asking etcd ------------------------------------------------------------------ */

static int take(void *context, const struct etcd_entry *entry)
{
	history_take(context, entry);
	return 0;
}

/* Reads the pulse's key as it was at REVISION; 0: as it is now. */
static int look(struct etcd *e, const struct history *p, __s64 revision, struct history *found)
{
	const struct etcd_range range = {p->key};

	*found = (struct history){};
	return etcd_read(e, &range, &revision, take, found);
}

int history_is_same(struct etcd *e, const struct history *p)
{
	struct history found;
	int err;

	if (!p->modified)
		return 1;
	err = look(e, p, p->modified, &found);
	if (!err)
		return found.modified == p->modified && !strcmp(found.value, p->value);
	if (err == -EACCES)
		return 1; /* this host may not read it, so nothing is known */
	if (err != -ESTALE)
		return err;
	/* The revision is compacted, or the store has not reached it. */
	err = look(e, p, 0, &found);
	if (err)
		return err;
	if (etcd_seen(e)->revision < p->modified)
		return 0;
	if (!found.modified || found.modified > p->modified)
		return 1;
	return found.modified == p->modified && !strcmp(found.value, p->value);
}

/* ---- for the next agent ----------------------------------------------------------- */

static void path_of(char path[PATH], const char *instance, const char *tail)
{
	snprintf(path, PATH, "/run/tsw/%s.pulse%s", instance, tail);
}

void history_load(struct history *p, const char *instance, const struct member *m)
{
	char path[PATH], prefix[MEMBER_KEY];
	const char *key, *value, *store;
	json_int_t modified;
	json_t *json;

	*p = (struct history){};
	path_of(path, instance, "");
	json = json_load_file(path, 0, NULL);
	member_key(m, "", "", prefix);
	prefix[strlen(prefix) - 1] = '\0';
	if (!json_unpack(json, "{s:s, s:s, s:s, s:I}", "store", &store, "key", &key, "value",
			 &value, "modified", &modified) &&
	    !strcmp(store, m->store) && !strncmp(key, prefix, strlen(prefix)) &&
	    strlen(key) < sizeof(p->key) && strlen(value) < sizeof(p->value)) {
		snprintf(p->key, sizeof(p->key), "%s", key);
		snprintf(p->value, sizeof(p->value), "%s", value);
		p->modified = modified;
	}
	json_decref(json);
}

/* Errors are ignored: without the file the next agent believes any history. */
void history_save(const struct history *p, const char *instance, const struct member *m)
{
	char path[PATH], new[PATH];
	json_t *json = json_pack("{s:s, s:s, s:s, s:I}", "store", m->store, "key", p->key, "value",
				 p->value, "modified", (json_int_t)p->modified);

	path_of(path, instance, "");
	path_of(new, instance, ".new");
	if (json && !json_dump_file(json, new, JSON_COMPACT))
		rename(new, path);
	json_decref(json);
}
