/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants' connections of one network namespace, to be known in another, too. */
#ifndef TSW_CONNTRACK_COPY_H
#define TSW_CONNTRACK_COPY_H

#include <stddef.h>

/* The kernel's messages, one behind the other. */
struct connections {
	char *messages;
	size_t used;
	size_t room;
	int err;
};

/* All of them where netfilter's sockets are, see netns.h. Free it also after an error. */
int conntrack_take(struct connections *all);
/* Those that are not known there are; with zone, mark, translation, state and expiry. */
int conntrack_give(const struct connections *all, size_t *given);
void connections_free(struct connections *all);

#define cleanup_connections __attribute__((cleanup(connections_free)))

#endif
