/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections that rules have allowed. An entry says who began it, so that answers pass, and which
 * generation of the policy allowed it. An older generation's entry is judged again.
 *
 * Entries are in buckets of the tenant's own, as many as its share of connections needs, so no
 * tenant takes another's room. If both buckets are full, evict.h chooses who makes room.
 */
#ifndef TSW_BPF_POLICY_CONN_H
#define TSW_BPF_POLICY_CONN_H

#include <asm-generic/errno-base.h>

#include "gateway/fair.h"
#include "policy/maps.h"
#include "policy/evict.h"

/* Ticks. TCP: RFC 5382 section 5, UDP: RFC 4787 section 4.3, at the least. */
#define POLICY_BEGUN 30
#define POLICY_TCP 7440
#define POLICY_CLOSING 60
#define POLICY_RESET 10
#define POLICY_LONG 300
#define POLICY_FRAGMENTS 30 /* as long as Linux waits for missing ones */

enum policy_find {
	POLICY_NONE,  /* not there */
	POLICY_OLD,   /* there, but by a rule of an older policy */
	POLICY_KNOWN, /* there, and it goes on */
};

enum policy_put { POLICY_SAME, POLICY_FREE };
enum policy_room { POLICY_PUT, POLICY_NO_ROOM, POLICY_NO_BUCKET };

/* The order of the frame's ends in an entry. */
static __always_inline bool policy_is_high(const struct tsw_addr *a, const struct tsw_addr *b)
{
	for (__u32 i = 0; i < 4; i++)
		if (a->w[i] != b->w[i])
			return bpf_ntohl(a->w[i]) > bpf_ntohl(b->w[i]);
	return false;
}

/*
 * Have they the same two ends, that is, all fields before `until`? Without a branch for each word,
 * which the verifier would go through for each place of a bucket.
 */
static __always_inline bool policy_is_same(const struct tsw_policy_conn *a,
					   const struct tsw_policy_conn *b)
{
	const __u32 *x = (const __u32 *)a, *y = (const __u32 *)b;
	__u32 differ = 0;

	for (__u32 i = 0; i < offsetof(struct tsw_policy_conn, until) / sizeof(*x); i++)
		differ |= x[i] ^ y[i];
	return !differ;
}

static __always_inline bool policy_is_answer(const struct policy_work *w, __u32 state)
{
	return !(state & TSW_POLICY_OF_HIGH) == w->from_high;
}

/* Does TCP begin here? Then it is no answer, whatever came before. */
static __always_inline bool policy_begins(const struct policy_work *w)
{
	return w->proto == IPPROTO_TCP && (w->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

/* The state after this frame. */
static __always_inline __u32 policy_state(const struct policy_work *w, __u32 state)
{
	if (policy_begins(w))
		return state & TSW_POLICY_OF_HIGH;
	if (policy_is_answer(w, state))
		state |= TSW_POLICY_ANSWERED;
	if (w->proto != IPPROTO_TCP)
		return state;
	if (w->flags & TCP_RST)
		state |= POLICY_CLOSED;
	if (w->flags & TCP_FIN)
		state |= w->from_high ? TSW_POLICY_FIN_HIGH : TSW_POLICY_FIN_LOW;
	return state;
}

static __always_inline __u32 policy_ticks(const struct policy_work *w, __u32 state)
{
	if ((w->conn.proto & TSW_POLICY_PROTO) == IPPROTO_FRAGMENT)
		return POLICY_FRAGMENTS;
	if (w->proto == IPPROTO_TCP && w->flags & TCP_RST)
		return POLICY_RESET;
	if (!(state & TSW_POLICY_ANSWERED))
		return POLICY_BEGUN;
	if (w->proto != IPPROTO_TCP)
		return POLICY_LONG;
	return (state & POLICY_CLOSED) == POLICY_CLOSED ? POLICY_CLOSING : POLICY_TCP;
}

/* Fills in the tenant, and the buckets that the connection may be in. */
static __noinline void policy_buckets(struct policy_work *w, const struct tsw_policy *policy)
{
	const __u32 most = policy->connections ? policy->connections : TSW_POLICY_CONNS;
	const __u32 n = TSW_POLICY_BUCKETS(most);
	struct tsw_hash_input in;
	__u64 hash;

	w->conn.proto |= TSW_POLICY_OWNER(policy->table);
	tsw_policy_input(&w->conn, &in);
	hash = tsw_hash(&in);
	for (__u32 i = 0; i < 2; i++) {
		w->bucket[i].tenant = w->tenant;
		w->bucket[i].table = policy->table;
		w->bucket[i].bucket = TSW_PLACE(hash, i, n);
	}
	w->bucket[POLICY_SPARE] = w->bucket[0];
	w->bucket[POLICY_SPARE].bucket = TSW_POLICY_SPARE;
}

/*
 * Looks in one bucket, and updates time and state of the found connection. An entry of the spare
 * bucket is taken out, and policy_find() puts it elsewhere. This and the next function are global,
 * so that the verifier goes through each once.
 */
__noinline int tsw_policy_look(__u32 nth)
{
	struct policy_work *w = policy_work();
	struct tsw_policy_bucket *bucket;
	int found = POLICY_NONE;
	__u32 state, until;

	if (!w)
		return POLICY_NONE;
	bucket = bpf_map_lookup_elem(&tsw_policy_conns, &w->bucket[nth & POLICY_NTH]);
	if (!bucket)
		return POLICY_NONE;
	bpf_spin_lock(&bucket->lock);
	for (__u32 i = 0; i < TSW_POLICY_BUCKET; i++) {
		struct tsw_policy_conn *c = &bucket->conn[i];

		if (c->until <= w->now || !policy_is_same(c, &w->conn))
			continue;
		found = POLICY_OLD;
		w->conn.state = c->state;
		w->conn.number = c->number;
		if (c->generation != w->generation ||
		    ((policy_begins(w) || w->asks) && policy_is_answer(w, c->state)))
			break;
		found = POLICY_KNOWN;
		if (w->quoted)
			break;
		state = policy_state(w, c->state);
		until = w->now + policy_ticks(w, state);
		if (c->state != state)
			c->state = state;
		w->conn.state = state;
		w->conn.until = until;
		if (nth == POLICY_SPARE)
			until = 0;
		if (c->until != until)
			c->until = until;
		break;
	}
	bpf_spin_unlock(&bucket->lock);
	return found;
}

/* May the connection have this place? */
static __always_inline bool policy_fits(const struct tsw_policy_conn *c,
					const struct policy_work *w, __u32 how)
{
	const bool over = c->until <= w->now;

	return how == POLICY_SAME ? !over & policy_is_same(c, &w->conn) : over;
}

/* Writes w->conn there. An enum policy_room. */
__noinline int tsw_policy_put(__u32 nth, __u32 how)
{
	struct policy_work *w = policy_work();
	struct tsw_policy_bucket *bucket;
	__u32 place;

	if (!w)
		return POLICY_NO_ROOM;
	bucket = bpf_map_lookup_elem(&tsw_policy_conns, &w->bucket[nth & POLICY_NTH]);
	if (!bucket)
		return POLICY_NO_BUCKET;
	bpf_spin_lock(&bucket->lock);
	for (place = 0; place < TSW_POLICY_BUCKET; place++) {
		if (!policy_fits(&bucket->conn[place], w, how))
			continue;
		bucket->conn[place] = w->conn;
		break;
	}
	bpf_spin_unlock(&bucket->lock);
	return place < TSW_POLICY_BUCKET ? POLICY_PUT : POLICY_NO_ROOM;
}

/*
 * Makes a bucket with w->conn in it. An empty one might be swept.
 *
 * The kernel may refuse it: with -EBUSY while this CPU holds a lock of the map for a command, until
 * Linux 6.14; with a timeout of that lock, since then; or with -ENOMEM. So the first bucket of a
 * table is followed by a spare one for such times. 0, or an error.
 */
static __noinline int policy_bucket_make(struct policy_work *w, __u32 nth)
{
	int err;

	w->fresh.conn[0] = w->conn;
	err = bpf_map_update_elem(&tsw_policy_conns, &w->bucket[nth & POLICY_NTH], &w->fresh,
				  BPF_NOEXIST);
	if (err || bpf_map_lookup_elem(&tsw_policy_conns, &w->bucket[POLICY_SPARE]))
		return err;
	w->fresh.conn[0].until = 0;
	bpf_map_update_elem(&tsw_policy_conns, &w->bucket[POLICY_SPARE], &w->fresh, BPF_NOEXIST);
	return 0;
}

/*
 * Takes a free place, or the first one of a new bucket. Two first frames on two CPUs may both make
 * an entry. One of them is found from then on, the other expires soon.
 */
static __always_inline int policy_begin(struct policy_work *w, __u32 nth)
{
	int room = tsw_policy_put(nth, POLICY_FREE);

	if (room != POLICY_NO_BUCKET)
		return room;
	if (!policy_bucket_make(w, nth))
		return POLICY_PUT;
	return tsw_policy_put(nth, POLICY_FREE); /* another CPU may have made it */
}

/*
 * Takes a place in one of both buckets, or in the spare one if no bucket can be made. An enum
 * policy_room.
 */
static __noinline int policy_place(struct policy_work *w)
{
	int one = policy_begin(w, 0), two;

	if (one == POLICY_PUT)
		return one;
	two = policy_begin(w, 1);
	if (two == POLICY_PUT || (one == POLICY_NO_ROOM && two == POLICY_NO_ROOM))
		return two;
	return tsw_policy_put(POLICY_SPARE, POLICY_FREE);
}

/* Stores the connection that policy_find() has searched. NEXT, or a drop reason. */
static __always_inline int policy_keep(struct policy_work *w)
{
	if ((w->there && tsw_policy_put(w->place, POLICY_SAME) == POLICY_PUT) ||
	    policy_place(w) == POLICY_PUT || tsw_policy_evict())
		return NEXT;
	return drop(TSW_DROP_POLICY_FULL);
}

static __always_inline int policy_find(struct policy_work *w, const struct tsw_policy *policy)
{
	int found = POLICY_NONE;

	policy_buckets(w, policy);
	for (__u32 nth = 0; nth < POLICY_BUCKETS && found == POLICY_NONE; nth++) {
		found = tsw_policy_look(nth);
		w->place = nth;
	}
	w->there = found != POLICY_NONE;
	if (found == POLICY_KNOWN && w->place == POLICY_SPARE && !w->quoted) {
		w->conn.generation = w->generation;
		policy_place(w);
	}
	return found;
}

#endif
