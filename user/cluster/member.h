/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which cluster a switch is a member of: the file /etc/tsw/INSTANCE.cluster, which only root may
 * read. It names the files of keys and passwords, but does not contain any.
 */
#ifndef TSW_CLUSTER_MEMBER_H
#define TSW_CLUSTER_MEMBER_H

#include <limits.h>

#include <tsw/abi.h>

#include "etcd/etcd.h"

enum { MEMBER_URLS = 4096, MEMBER_USER = 256 };

/* An empty text means that it is not set. */
struct member {
	char etcd[MEMBER_URLS]; /* as in struct etcd_config */
	struct tsw_name cluster;
	struct tsw_name host; /* this host's name in the cluster */
	char ca[PATH_MAX], cert[PATH_MAX], key[PATH_MAX];
	char user[MEMBER_USER], password_file[PATH_MAX];
	char store[24]; /* etcd's id of the store that the switch joined, in hex */
};

/* KEY becomes `/tsw/1/CLUSTER/KIND/NAME`. The 1 is the version of the format. */
enum { MEMBER_KEY = 512 };
void member_key(const struct member *m, const char *kind, const char *name, char key[MEMBER_KEY]);

/* Reads and checks the file. -ENOENT: the switch is no member. -EPERM: others may change it. */
int member_read(const char *instance, struct member *m);

/* Does the file exist? */
bool member_is(const char *instance);

enum { MEMBER_PATH = 128 };
void member_path(char path[MEMBER_PATH], const char *instance);

/* Could member_write() write M? -EINVAL: a text is not UTF-8. */
int member_check(const struct member *m);

/* Writes the file at once, and returns when it is on the disk. */
int member_write(const char *instance, const struct member *m);
int member_remove(const char *instance);

/* Puts the store that answers by E into M. -EEXIST: M joined another one. */
int member_check_store(struct etcd *e, struct member *m);

/*
 * Connects only to the store that M joined, or to any if M has not joined yet. Each call of etcd
 * has TIMEOUT_MS, for programs that stay connected: their files are checked with each connection.
 */
int member_connect(const struct member *m, unsigned int timeout_ms, struct etcd **e);

/* The same, but checks the files, and all calls together have WAIT_MS, beginning now. */
int member_open(const struct member *m, unsigned int wait_ms, struct etcd **e);

#endif
