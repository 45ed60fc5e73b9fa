/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One HTTP/1.1 request and its answer, over a connection that is closed then. Docker's client sends
 * nothing but POST with a length; whatever else HTTP knows is refused. libmicrohttpd would serve an
 * accepted descriptor, too, but takes far more than this, and would have to be told to refuse it.
 */
#ifndef TSW_DOCKER_REQUEST_H
#define TSW_DOCKER_REQUEST_H

#include <stddef.h>

#include <linux/types.h>

enum { REQUEST_HEAD = 8192, REQUEST_BODY = 1 << 20 }; /* octets at most */

struct request {
	char *text; /* all of it; to be freed */
	size_t n;
	const char *path; /* behind the first '/' */
	const char *body;
	size_t length; /* of the body */
};

/*
 * Within MS. 0; or the status to answer, with the failure set; -ENODATA without message: the client
 * has closed the connection and asked for nothing.
 */
int request_read(int fd, __u32 ms, struct request *r);

/* BODY is JSON. 0, or -errno where the client does not take it within MS. */
int request_answer(int fd, __u32 ms, int status, const char *body);

#endif
