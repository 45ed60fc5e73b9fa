/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a cluster in etcd: their keys, their values as JSON, reading several of them at
 * one moment, and changes that are tried again if others change the same records.
 *
 * A prefix is the common begin of keys, with a slash at its end. Its own key is its pulse, see
 * change.h; functions that read a prefix leave the pulse out.
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
	__s64 lease;	 /* of addresses that were given up; 0: none yet */
	__u64 lease_old; /* ns of CLOCK_MONOTONIC: from then on another lease is needed */
};

/*
 * Connects to the cluster of the switch INSTANCE. Calls of etcd take WAIT_MS together, until
 * records_wait() gives them more. -ENOENT: the switch is not a member of a cluster.
 */
int records_open(const char *instance, unsigned int wait_ms, struct records **r);
void records_wait(struct records *r, unsigned int wait_ms);
void records_close(struct records *r);

/* ---- keys ------------------------------------------------------------------------- */

/* Makes KEY from its part behind the cluster's prefix: "e/7/a" becomes /tsw/1/CLUSTER/e/7/a. */
void record_key(const struct records *r, char key[MEMBER_KEY], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Is KEY the one that record_key() makes of FORMAT? A record under another key could hide one. */
bool record_is_at(const struct records *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* All keys below a prefix such as "e/7/", without its pulse. END is excluded. */
struct record_range {
	char key[MEMBER_KEY], end[MEMBER_KEY];
};
struct record_range record_range(const struct records *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The last part of KEY, behind its last slash. Empty for a pulse. */
const char *record_name(const char *key);

/* ---- values ----------------------------------------------------------------------- */

/* An object of any kind. A record of an endpoint has no tenant, because its key says that. */
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

/*
 * Reads TEXT into SPEC, which is a union record_spec or its member of that kind. Fields that TEXT
 * does not have stay as they are. -EINVAL: TEXT is no valid record of that kind.
 */
int record_read(enum object_kind kind, const char *text, void *spec);

/* The same, and names KEY in the message. -EINVAL also if the object's name is not KEY's. */
int record_read_at(enum object_kind kind, const char *key, const char *text, void *spec);

/* SPEC as JSON; the caller frees it. NULL with the message set: out of memory. */
char *record_text(enum object_kind kind, const void *spec);

/* Where records of each kind are: "host/", and so on. Groups and rules share "policy/". */
extern const char *const record_prefixes[OBJECT_KINDS];

/* Can the record at KEY, below the prefix of KIND, be of that kind? */
bool record_is_kind(enum object_kind kind, const char *key);

/* ---- looking ---------------------------------------------------------------------- */

/* What was read of a key, or of a prefix without its pulse. */
struct seen {
	char *key, *end; /* END NULL: one key */
	char *value;	 /* of one key; NULL: it does not exist */
	__s64 modified;	 /* revision of its last change; 0: it does not exist */
	__s64 count;	 /* of a prefix: how many keys it has */
};

/* Keys to read together. Begins as zeros; look_read() fills AT, and look_end() frees it. */
struct look {
	struct seen *at;
	size_t n;
	int err; /* of adding to it: look_read() returns it */
};

/* Add a key or a prefix, as record_key() makes it, or a whole KEY. They return its index in AT. */
size_t look_at(struct look *l, const struct records *r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
size_t look_count(struct look *l, const struct records *r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
size_t look_at_key(struct look *l, const char *key);

/* Reads all of L; up to ETCD_OPS of them at one revision. */
int look_read(const struct records *r, struct look *l);
void look_end(struct look *l);

#define cleanup_look __attribute__((cleanup(look_end)))

/*
 * Calls EACH for every record of a prefix. With C, the change is refused if any of these records is
 * changed, created or deleted meanwhile. C may be NULL.
 */
int records_read(const struct records *r, struct change *c, etcd_each *each, void *context,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same without a change, as of *REVISION; see etcd_read(). */
int records_each(const struct records *r, __s64 *revision, etcd_each *each, void *context,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- changing --------------------------------------------------------------------- */

/*
 * One try of a change: reads what it needs, and adds steps to C. Without a step nothing is
 * committed, because everything is as asked already. -EAGAIN: try once more. AGAIN: an earlier try
 * may have been carried out, so what exists may be this change's own work.
 */
typedef int record_try(struct records *r, void *context, bool again, struct change *c);

/* The commit of C found C->key in the way: returns the error. -EAGAIN: try once more. */
typedef int record_refusal(const struct records *r, void *context, const struct change *c);

/* Tries ONCE until it succeeds. REFUSE NULL: the next try sees what is in the way. */
int record_change(struct records *r, record_try *once, record_refusal *refuse, void *context);

/* Adds to C: the pulse of a prefix. */
void record_pulse(const struct records *r, struct change *c, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds to C: SPEC is written at KEY. MODIFIED: revision of the record that was read, or 0. */
int record_put(struct change *c, enum object_kind kind, const char *key, const void *spec,
	       __s64 modified);

/* Adds to C: the condition that a key was changed last at revision MODIFIED; 0: does not exist. */
void record_check(const struct records *r, struct change *c, __s64 modified, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));

/* Adds to C: all records of a prefix are deleted, but not its pulse. */
void record_clear(const struct records *r, struct change *c, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The lease for addresses that are given up now: for 60 s `auto` chooses none of them. */
int record_rest(struct records *r, __s64 *lease);

#endif
