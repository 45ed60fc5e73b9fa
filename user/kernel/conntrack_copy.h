/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies tenants' connections from one network namespace to another. */
#ifndef TSW_CONNTRACK_COPY_H
#define TSW_CONNTRACK_COPY_H

#include <stddef.h>

/* The kernel's messages, one after the other. */
struct connections {
	char *messages;
	size_t used;
	size_t room;
	int err;
};

/* Reads all connections in netfilter's namespace, see netns.h. Free ALL also after an error. */
int conntrack_take(struct connections *all);
/* Adds those that are missing there, with zone, mark, translation, state and expiry. */
int conntrack_give(const struct connections *all, size_t *given);
void connections_free(struct connections *all);

#define cleanup_connections __attribute__((cleanup(connections_free)))

#endif
