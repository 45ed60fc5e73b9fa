// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include <tsw/places.h>

#include "base/tick.h"
#include "kernel/map_update.h"
#include "store/policy_move.h"

struct moving {
	const struct policy_move *m;
	__u32 now;
	struct tsw_policy_bucket bucket; /* the current bucket of TO */
};

/* Compares all members before `until`: addresses, ports, MACs, protocol and owner. */
static bool is_same(const struct tsw_policy_conn *a, const struct tsw_policy_conn *b)
{
	return !memcmp(a, b, offsetof(struct tsw_policy_conn, until));
}

/* OWN: the slot that has the connection already; otherwise a free slot. NULL: no such slot. */
static struct tsw_policy_conn *place_in(struct moving *s, const struct tsw_policy_conn *c, bool own)
{
	struct tsw_policy_conn *at = s->bucket.conn, *end = at + TSW_POLICY_BUCKET;

	for (; at < end; at++)
		if (own ? is_same(at, c) && at->until > s->now : at->until <= s->now)
			return at;
	return NULL;
}

/* Writes the connection into the bucket, with OWN only if that has it already. -ENOENT: no slot. */
static int put_in(struct moving *s, const struct tsw_policy_conn_key *key,
		  const struct tsw_policy_conn *c, bool own)
{
	struct tsw_policy_conn *at;
	__u64 flags = BPF_F_LOCK;

	if (bpf_map_lookup_elem_flags(s->m->to, key, &s->bucket, BPF_F_LOCK)) {
		if (errno != ENOENT)
			return -errno;
		memset(&s->bucket, 0, sizeof(s->bucket));
		flags = BPF_NOEXIST;
	}
	at = own && flags == BPF_NOEXIST ? NULL : place_in(s, c, own);
	if (!at)
		return -ENOENT;
	if (own && at->until >= c->until) /* a program has updated it since */
		return 0;
	*at = *c;
	return map_update(s->m->to, key, &s->bucket, flags) ? -errno : 0;
}

static int put(struct moving *s, const struct tsw_policy_conn_key *from,
	       const struct tsw_policy_conn *c)
{
	struct tsw_policy_conn_key key = *from;
	struct tsw_policy policy = {};
	struct tsw_hash_input in;
	__u32 most, i;
	__u64 hash;
	int err = -ENOENT;

	if (bpf_map_lookup_elem(s->m->policies, &key.tenant, &policy) || policy.table != key.table)
		return 0;
	most = policy.connections ? policy.connections : TSW_POLICY_CONNS;
	tsw_policy_input(c, &in);
	hash = tsw_siphash(s->m->config->secret, s->m->config->pass, &in);
	for (i = 0; i < 4 && err == -ENOENT; i++) {
		key.bucket = TSW_PLACE(hash, i & 1, TSW_POLICY_BUCKETS(most));
		err = put_in(s, &key, c, i < 2);
	}
	return err == -ENOENT ? 0 : err;
}

static int move_bucket(struct moving *s, const struct tsw_policy_conn_key *key)
{
	struct tsw_policy_bucket from;
	int i, err = 0;

	if (bpf_map_lookup_elem_flags(s->m->from, key, &from, BPF_F_LOCK))
		return errno == ENOENT ? 0 : -errno;
	for (i = 0; !err && i < TSW_POLICY_BUCKET; i++)
		if (from.conn[i].until > s->now)
			err = put(s, key, &from.conn[i]);
	return err;
}

int policy_conns_move(const struct policy_move *m)
{
	struct moving s = {.m = m, .now = tick_now()};
	struct tsw_policy_conn_key key, *last = NULL;
	__u32 left = 4 * m->most; /* a bound: a removed key restarts the walk */
	int err = 0;

	for (; !err && left-- && !bpf_map_get_next_key(m->from, last, &key); last = &key)
		err = move_bucket(&s, &key);
	return err;
}
