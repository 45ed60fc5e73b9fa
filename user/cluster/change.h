/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change of the cluster's records, as one transaction of etcd. Its conditions are that the
 * records it read are unchanged, and that nobody else has its claims. A claim is a record by which
 * one owner holds something unique, such as a VNI or an address. There are no locks: the second of
 * two conflicting changes is refused, and learns who was first.
 *
 * The answer of etcd may be lost although the change was made. A retry then finds the change's own
 * claims in the way. It recognizes them by the random number (nonce) that each change writes into
 * its claims.
 */
#ifndef TSW_CLUSTER_CHANGE_H
#define TSW_CLUSTER_CHANGE_H

#include <jansson.h>

#include "etcd/etcd.h"

enum { CHANGE_NONCE = 33, CHANGE_TEXT = 512 }; /* octets, with the NUL */

struct change {
	struct etcd_if condition[ETCD_OPS];
	struct etcd_op step[ETCD_OPS];
	bool is_claim[ETCD_OPS]; /* is the condition of that index one of a claim? */
	size_t n_conditions, n_steps, n_pulses, n_texts;
	char *text[4 * ETCD_OPS]; /* copies */
	char nonce[CHANGE_NONCE];
	int err; /* of adding to it: change_commit() returns it */

	/* After -EEXIST: */
	char key[CHANGE_TEXT];	 /* the record that is in the way */
	char owner[CHANGE_TEXT]; /* of that claim; "" if the record is no claim */

	bool ours; /* used while the answer is read: a claim has this change's nonce */
};

/* Makes a random text, so long that no other is the same. */
int change_number(char number[CHANGE_NONCE]);

/* Both must be called. Functions that add to C keep their errors in C->err. */
void change_begin(struct change *c);
void change_end(struct change *c);

/*
 * Whose word a claim on a host's address is. An address that an operator wrote may be another than
 * the host's own, for example in front of a NAT.
 */
enum claim_word {
	CLAIM_GIVEN, /* an operator's, or an older version's; all other claims are so */
	CLAIM_OWN,   /* the host's own: it has the address */
	CLAIM_LEFT,  /* the host's own: it does not have it any more, so others may take it over */
};

/*
 * Adds a claim: KEY becomes OWNER's. MODIFIED 0: it must not exist. Otherwise replaces a claim that
 * was read at that revision and is not used any more.
 */
void change_claim(struct change *c, const char *key, const char *owner, __s64 modified,
		  enum claim_word word);
enum claim_word claim_word(const char *value);

/* The same of a host's address, with the MTU that the host tells; 0: it tells none. */
void change_claim_mtu(struct change *c, const char *key, const char *owner, __s64 modified,
		      enum claim_word word, __u32 mtu);
__u32 claim_mtu(const char *value);

/*
 * Adds a claim of OWNER for several MEMBERS, an array of names, which it takes over.
 * claim_members() returns them, or an empty array; the caller frees it.
 */
void change_share(struct change *c, const char *key, const char *owner, json_t *members,
		  __s64 modified);
json_t *claim_members(const char *value);

/* Adds steps for a record that was read at revision MODIFIED. 0: it must not exist. */
void change_put(struct change *c, const char *key, const char *value, __s64 modified);
void change_del(struct change *c, const char *key, __s64 modified);

/*
 * Add only a condition. KEY was changed last at revision MODIFIED, or does not exist if that is 0.
 * No key exists from KEY up to END, which is excluded; or none was written after REVISION.
 */
void change_check(struct change *c, const char *key, __s64 modified);
void change_empty(struct change *c, const char *key, const char *end);
void change_unchanged(struct change *c, const char *key, const char *end, __s64 revision);

/*
 * Add only a step. KEY is written, with that LEASE unless it is 0. KEY is deleted, or all keys from
 * KEY up to END, which is excluded, unless END is NULL.
 */
void change_write(struct change *c, const char *key, const char *value, __s64 lease);
void change_clear(struct change *c, const char *key, const char *end);

/*
 * Adds a step that writes a prefix's own key, its pulse, before all other steps. Repeated calls for
 * a prefix add one step. A pulse tells agents that tsw made the change of the same revision, and on
 * which host (BY). Its nonce tells whether a store has the same history.
 */
void change_pulse(struct change *c, const char *key, const char *by);

/*
 * 0: the change was made, now or by an earlier try; *REVISION is that of the change, or a later
 * one. The caller makes sure that C has a claim, or that repeating it does no harm.
 *
 * -EEXIST: C->key is in the way, and the caller sets the message. -EAGAIN: a record was changed
 * since it was read. -E2BIG: C has more than ETCD_OPS steps or conditions. After other errors,
 * those of etcd_commit(), the change may have been made.
 */
int change_commit(struct etcd *e, struct change *c, __s64 *revision);

/*
 * Reads a claim. VALUE NULL, or no claim: OWNER is "". NONCE may be NULL. claim_is_of() is false
 * then.
 */
void claim_read(const char *value, char owner[CHANGE_TEXT], char nonce[CHANGE_NONCE]);
bool claim_is_of(const char *value, const char *owner);

#endif
