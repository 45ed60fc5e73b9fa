// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cluster/change.h"
#include "cluster/peers.h"

enum { AT_ONCE = 90 }; /* of ETCD_OPS; the caller adds some, too */

struct finding {
	struct look keys;
	char first[MEMBER_KEY]; /* `/tsw/1/C/peer/T/` */
	const char *tenant;
};

static int find(void *context, const struct etcd_entry *entry)
{
	struct finding *f = context;
	const char *with = record_name(entry->key);

	if (!strncmp(entry->key, f->first, strlen(f->first)) || !strcmp(with, f->tenant))
		look_at_key(&f->keys, entry->key);
	return f->keys.err;
}

/* Deletes the first AT_ONCE of KEYS. */
static int del_some(const struct records *r, const struct look *keys)
{
	struct change c;
	size_t i;
	int err;

	change_begin(&c);
	record_pulse(r, &c, "peer/");
	for (i = 0; i < AT_ONCE; i++)
		change_clear(&c, keys->at[i].key, NULL);
	err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err ?: -EAGAIN; /* this has changed the pulse, which is a condition */
}

static int find_all(const struct records *r, const char *tenant, struct change *c,
		    struct finding *f)
{
	*f = (struct finding){.tenant = tenant};
	record_key(r, f->first, "peer/%s/", tenant);
	return records_read(r, c, find, f, "peer/");
}

int peers_count(const struct records *r, const char *tenant, struct change *c, size_t *n)
{
	struct finding f;
	int err = find_all(r, tenant, c, &f);

	*n = f.keys.n;
	look_end(&f.keys);
	return err;
}

int peers_del_all(const struct records *r, const char *tenant, struct change *c)
{
	struct finding f;
	size_t i;
	int err = find_all(r, tenant, c, &f);

	if (!err && f.keys.n > AT_ONCE)
		err = del_some(r, &f.keys);
	for (i = 0; !err && i < f.keys.n; i++)
		change_clear(c, f.keys.at[i].key, NULL);
	if (!err && f.keys.n)
		record_pulse(r, c, "peer/");
	look_end(&f.keys);
	return err;
}
