// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/keys.h"
#include "base/clock.h"
#include "base/err.h"
#include "cluster/hosts.h"
#include "record/fields.h"
#include "switch/session.h"
#include "wire/crypt.h"

enum {
	LOOK_LEAST_MS = 50, /* a handshake takes one round trip */
	LOOK_MOST_MS = 10000,
	TOLD_MS = 1000, /* limits the writes if two hosts have this host's name by mistake */
	FAILED_MS = 10000,
	ONCE_MS = 1000,
};

void keys_begin(struct keys *k, const struct log *log)
{
	*k = (struct keys){.complaints.log = log};
}

void keys_end(struct keys *k)
{
	complaints_free(&k->complaints);
}

/* ---- other hosts' new keys -------------------------------------------------------- */

void keys_reconciled(struct keys *k, const struct reconciler *c)
{
	k->changed = true;
	k->every = LOOK_LEAST_MS;
	k->look_at = c->awaits ? clock_ns(CLOCK_MONOTONIC) + LOOK_LEAST_MS * MS_NS : 0;
}

/* Opening the switch for writing is enough: that checks the new keys, see crypt_mend(). */
static void look(struct keys *k, struct tsw *t)
{
	bool awaits = true;
	int err;

	session_close(t);
	t->will_write = true;
	err = session_open(t);
	if (!err)
		awaits = crypt_awaits(t);
	else
		detail(&t->log, "cannot check other hosts' new keys: %s", failure()->text);
	session_close(t);
	t->will_write = false;
	k->changed = true;
	k->every = k->every * 2 < LOOK_MOST_MS ? k->every * 2 : LOOK_MOST_MS;
	k->look_at = awaits ? clock_ns(CLOCK_MONOTONIC) + k->every * MS_NS : 0;
}

/* ---- this host's keys ------------------------------------------------------------- */

/*
 * Writes this host's keys into its record if they differ. The command that makes a key writes it,
 * but fails if etcd does not answer; the removal of an old key is only written here. A switch
 * without keys writes nothing, since its key file may come back.
 */
static int tell(struct tsw *t, struct replica *rp)
{
	struct records r = {.e = rp->e, .m = *rp->m};
	struct tsw_host_spec spec = {.name = rp->m->host}, written = {};
	const struct record *record;
	char key[sizeof("host/") + sizeof(spec.name.s)];
	int err = crypt_own_keys(t, &spec.key);

	if (err || !spec.key.n)
		return err;
	snprintf(key, sizeof(key), "host/%s", spec.name.s);
	record = record_set_find(&rp->records, key);
	if (!record || record_read(OBJECT_HOST, record->value, &written) ||
	    fields_equal(host_fields, FIELD(HOST_KEY), &spec, &written))
		return 0; /* nothing to write; a wrong record was logged already */
	return cluster_host_make(&r, &spec, FIELD(HOST_KEY), SPEC_SET);
}

static void tell_now(struct keys *k, struct tsw *t, struct replica *rp)
{
	int err = tell(t, rp);

	k->changed = err;
	k->tell_at = clock_ns(CLOCK_MONOTONIC) + (err ? FAILED_MS : TOLD_MS) * MS_NS;
	if (err)
		complaints_add_line(&k->complaints,
				    "cannot write this host's keys into its record: %s",
				    failure()->text);
	else
		complaints_clear(&k->complaints);
}

/* ---- both ------------------------------------------------------------------------- */

void keys_turn(struct keys *k, struct tsw *t, struct replica *rp)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (k->look_at && now >= k->look_at)
		look(k, t);
	if (k->changed && rp->connected && now >= k->tell_at)
		tell_now(k, t, rp);
}

int keys_due(const struct keys *k, int most)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	__u64 at = now + (__u64)most * MS_NS;

	if (k->look_at && k->look_at < at)
		at = k->look_at;
	return at > now ? (int)((at - now + MS_NS - 1) / MS_NS) : 0;
}

int keys_once(struct keys *k, struct tsw *t, struct replica *rp)
{
	const struct timespec moment = {.tv_nsec = LOOK_LEAST_MS * (long)MS_NS};
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ONCE_MS * MS_NS;

	while (k->look_at && clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&moment, NULL);
		look(k, t);
	}
	return tell(t, rp);
}
