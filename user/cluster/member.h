/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which cluster a switch is a member of: /etc/tsw/INSTANCE.cluster, which root alone may read. It
 * names files of keys and passwords, and has none.
 */
#ifndef TSW_CLUSTER_MEMBER_H
#define TSW_CLUSTER_MEMBER_H

#include <limits.h>

#include <tsw/abi.h>

#include "etcd/etcd.h"

enum { MEMBER_URLS = 4096, MEMBER_USER = 256 };

/* A text that is empty is none. */
struct member {
	char etcd[MEMBER_URLS];
	struct tsw_name cluster;
	struct tsw_name host; /* this one's name there */
	char ca[PATH_MAX], cert[PATH_MAX], key[PATH_MAX];
	char user[MEMBER_USER], password_file[PATH_MAX];
	char store[24]; /* etcd's cluster id, in hex: another store is not this cluster */
};

/* `/tsw/1/CLUSTER/KIND/NAME`: the 1 is the version of what stands there. */
enum { MEMBER_KEY = 512 };
void member_key(const struct member *m, const char *kind, const char *name, char key[MEMBER_KEY]);

/* -ENOENT, with a message that says how to become one: it is no member. */
int member_read(const char *instance, struct member *m);

/* Without reading it. */
bool member_is(const char *instance);

/* All of it or nothing, on the disk when it returns. */
int member_write(const char *instance, const struct member *m);
int member_remove(const char *instance);

/* Asks E which store it is, and M, which has not joined yet, gets it. -EEXIST: not M's. */
int member_check_store(struct etcd *e, struct member *m);

/*
 * To the store that M joined and no other, or to any where that is empty. For who stays: each call
 * has TIMEOUT_MS.
 */
int member_connect(const struct member *m, unsigned int timeout_ms, struct etcd **e);

/* The same; WAIT_MS: so long at most for all that is asked of E, from now on. */
int member_open(const struct member *m, unsigned int wait_ms, struct etcd **e);

#endif
