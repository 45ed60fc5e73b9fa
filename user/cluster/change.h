/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change of the cluster's records, all of it or nothing: claims, which are what nobody else has
 * (a VNI, an address), and records as they were when they were read. No lock, no list of what is
 * free: who comes second is told who was first.
 *
 * An answer of etcd may be lost though what was asked is done, and asking again then finds it in
 * the way. So each claim has a number of its change alone: what is in the way with it is ours.
 */
#ifndef TSW_CLUSTER_CHANGE_H
#define TSW_CLUSTER_CHANGE_H

#include "etcd/etcd.h"

enum { CHANGE_NONCE = 33, CHANGE_TEXT = 512 }; /* octets, with the NUL */

struct change {
	struct etcd_if condition[ETCD_OPS];
	struct etcd_op step[ETCD_OPS];
	bool is_claim[ETCD_OPS]; /* of conditions */
	size_t n_conditions, n_steps, n_pulses, n_texts;
	char *text[4 * ETCD_OPS]; /* copies */
	char nonce[CHANGE_NONCE];
	int err; /* of building it: change_commit() returns it */

	/* When it was refused with -EEXIST: what is in the way. */
	char key[CHANGE_TEXT];
	char owner[CHANGE_TEXT]; /* its claim's; "" where it is a record */
	bool ours;		 /* while the answer is read */
};

/* A text that nobody has had. */
int change_number(char number[CHANGE_NONCE]);

void change_begin(struct change *c);
void change_end(struct change *c); /* frees what it has */

/*
 * KEY is to be OWNER's, whatever text that is; it must not be there. Or, where what was there at
 * revision MODIFIED is nobody's any more, in place of that.
 */
void change_claim(struct change *c, const char *key, const char *owner);
void change_take_over(struct change *c, const char *key, const char *owner, __s64 modified);

/* Gives a claim of OWNER's back, which was read at revision MODIFIED. */
void change_del(struct change *c, const char *key, __s64 modified);

/* MODIFIED: of what was read; 0: it must not be there. */
void change_put(struct change *c, const char *key, const char *value, __s64 modified);

/* Conditions alone: KEY is as it was at MODIFIED, 0: not there; there is none from KEY to END. */
void change_check(struct change *c, const char *key, __s64 modified);
void change_empty(struct change *c, const char *key, const char *end);

/* Steps alone, whatever is there: LEASE 0: none; KEY goes, or all up to before END. */
void change_write(struct change *c, const char *key, const char *value, __s64 lease);
void change_clear(struct change *c, const char *key, const char *end);

/*
 * A prefix's own key, before all else that is changed; once for each. Who follows the prefix is
 * told by that in the same revision that a member's command changed it, by which member's, and by
 * the number of the change which history it is.
 */
void change_pulse(struct change *c, const char *key, const char *by);

/*
 * 0: it is done, now or by an earlier try; the REVISION of that, or of what is there since. It has
 * at least one claim, or is such that it may be done twice.
 * -EEXIST: see KEY; the message is the caller's. -EAGAIN: somebody has changed what was read: read
 * again. -E2BIG: more than etcd takes at once. Others: as etcd_commit(); it may be done all the
 * same.
 */
int change_commit(struct etcd *e, struct change *c, __s64 *revision);

/* The owner that a claim's VALUE tells, "" where it is no claim; NONCE may be NULL. */
void claim_read(const char *value, char owner[CHANGE_TEXT], char nonce[CHANGE_NONCE]);

#endif
