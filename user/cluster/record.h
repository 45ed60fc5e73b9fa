/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a cluster: where each is, what it is as text, several of them as they were at one
 * moment, and a change that is tried again while others change the same.
 *
 * Whoever reads a prefix skips its own key, the pulse (change.h).
 */
#ifndef TSW_CLUSTER_RECORD_H
#define TSW_CLUSTER_RECORD_H

#include "base/field_json.h"
#include "cluster/member.h"
#include "record/fields.h"
#include "rules/rules.h"

struct change;

struct records {
	struct etcd *e;
	struct member m;
	__s64 lease;	 /* under which what is given up rests */
	__u64 lease_old; /* ns of CLOCK_MONOTONIC: from then on it is too short */
};

/* -ENOENT: INSTANCE is no member of a cluster. WAIT_MS: until records_wait(). */
int records_open(const char *instance, unsigned int wait_ms, struct records **r);
void records_wait(struct records *r, unsigned int wait_ms);
void records_close(struct records *r);

/* ---- keys ------------------------------------------------------------------------- */

/* "e/7/a" is /tsw/1/CLUSTER/e/7/a. */
void record_key(const struct records *r, char key[MEMBER_KEY], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* All below a prefix, as "e/7/", behind its pulse. */
struct record_range {
	char key[MEMBER_KEY], end[MEMBER_KEY];
};
struct record_range record_range(const struct records *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Its last part. */
const char *record_name(const char *key);

/* The pulse of that prefix, into C. */
void record_pulse(const struct records *r, struct change *c, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- values ----------------------------------------------------------------------- */

/* An endpoint's has no tenant: its key says that. */
union record_spec {
	struct tsw_host_spec host;
	struct tsw_tenant_spec tenant;
	struct tsw_name group;
	struct tsw_endpoint_spec endpoint;
	struct tsw_gateway_spec gateway;
	struct tsw_publish_spec publish;
	struct tsw_peer_spec peer;
	struct tsw_policy_spec policy;
};

/* The object's member of SPEC, which may be that alone. -EINVAL: it is no such record. */
int record_read(enum object_kind kind, const char *text, void *spec);

/* The same, and adds where it stands. NAME, the spec's own, is to be that of KEY; or NULL. */
int record_read_at(enum object_kind kind, const char *key, const char *text, void *spec,
		   const struct tsw_name *name);

/* To be freed; NULL with the message set. */
char *record_text(enum object_kind kind, const void *spec);

/* Into C: SPEC at KEY, in place of what was read at MODIFIED. */
int record_put(struct change *c, enum object_kind kind, const char *key, const void *spec,
	       __s64 modified);

/* ---- looking ---------------------------------------------------------------------- */

/* What is at a key: VALUE is NULL and MODIFIED 0 where nothing is. Or how many a range has. */
struct seen {
	char *key, *end;
	char *value;
	__s64 modified, count;
};

/* Filled by look_at() and look_count(), which return the place in AT, then by look_read(). */
struct look {
	struct seen *at;
	size_t n;
	int err;
};

size_t look_at(struct look *l, const char *key);
size_t look_count(struct look *l, const struct record_range *range);

/* At one moment, up to ETCD_OPS of them. */
int look_read(const struct records *r, struct look *l);
void look_end(struct look *l);

#define cleanup_look __attribute__((cleanup(look_end)))

/* One alone: *VALUE is to be freed, and NULL where nothing is. */
int record_get(const struct records *r, const char *key, char **value, __s64 *modified);

/* Where each kind is: "host/", and so on. Groups and rules share theirs, "policy/". */
extern const char *const record_prefixes[OBJECT_KINDS];

/* What is at KEY, below its kind's prefix, is of that kind, or at least of no other. */
bool record_is_kind(enum object_kind kind, const char *key);

/* EACH for every record of a prefix, as of *REVISION, as etcd_read() has it. */
int records_each(const struct records *r, const struct record_range *range, __s64 *revision,
		 etcd_each *each, void *context);

/*
 * EACH for every record of the prefix, as "gateway/", but for its pulse. C is then on condition that
 * none of them changes, goes or comes, or NULL.
 */
int records_read(const struct records *r, struct change *c, etcd_each *each, void *context,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- changing --------------------------------------------------------------------- */

/*
 * One try: reads, and adds to C what is to be done. Without a step it is so already, and nothing is
 * committed. -EAGAIN: what was read is not so any more, it is tried again. AGAIN: it was tried, and
 * what is there may be its own.
 */
typedef int record_try(struct records *r, void *context, bool again, struct change *c);
/* What C->key says was in the way when it was committed. -EAGAIN: it is tried again. */
typedef int record_refusal(const struct records *r, void *context, const struct change *c);
/* REFUSE NULL: whatever is in the way came meanwhile, and the next try sees it. */
int record_change(struct records *r, record_try *once, record_refusal *refuse, void *context);

/* The lease of what rests from now on. */
int record_rest(struct records *r, __s64 *lease);

#endif
