/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One HTTP/1.1 request and its answer, after which the connection is closed. Docker's client only
 * sends POST with a length; everything else is refused. libmicrohttpd could serve an accepted
 * descriptor, too, but accepts far more, which would have to be turned off.
 */
#ifndef TSW_DOCKER_REQUEST_H
#define TSW_DOCKER_REQUEST_H

#include <stddef.h>

#include <linux/types.h>

enum { REQUEST_HEAD = 8192, REQUEST_BODY = 1 << 20 }; /* octets at most */

struct request {
	char *text; /* the whole request; the caller frees it */
	size_t n;
	const char *path; /* without the first '/' */
	const char *body;
	size_t length; /* of the body */
};

/*
 * Reads a request within MS. Returns 0, or the HTTP status to answer with failure() set. -ENODATA
 * without message: the client closed the connection without a request.
 */
int request_read(int fd, __u32 ms, struct request *r);

/* BODY is JSON. Returns 0, or -errno if the client does not take it within MS. */
int request_answer(int fd, __u32 ms, int status, const char *body);

#endif
