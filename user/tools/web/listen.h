/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the page is served. */
#ifndef TSW_TOOLS_WEB_LISTEN_H
#define TSW_TOOLS_WEB_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include <tsw/abi.h>

struct listener {
	int fd;
	const char *path; /* of a unix socket; NULL: TCP */
	dev_t dev;	  /* which file it is */
	ino_t ino;
};

int listen_tcp(const struct tsw_addr *addr, __u32 port, struct listener *l);

/* Only root may connect. A file that exists is never replaced. */
int listen_unix(const char *path, struct listener *l);

/* Removes the socket's file, if it is still this one. */
void listen_end(const struct listener *l);

#endif
