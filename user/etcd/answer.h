/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a call ended: HTTP's status and gRPC's, which is in the trailers, or in the headers of an
 * answer without content.
 */
#ifndef TSW_ETCD_ANSWER_H
#define TSW_ETCD_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* gRPC's numbers that are told apart here. */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_PERMISSION = 7,
	GRPC_EXHAUSTED = 8,
	GRPC_PRECONDITION = 9,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNAVAILABLE = 14,
	GRPC_UNAUTHENTICATED = 16,
	GRPC_NONE = -1, /* the answer has none */
};

struct answer {
	int http;	/* status; 0: none */
	bool grpc;	/* the content is gRPC's */
	int status;	/* enum grpc_status, or another of its numbers */
	char text[512]; /* the server's message, decoded and cut */
};

void answer_begin(struct answer *a);

/* Takes a line of headers or trailers, in any case. Skips all but those above. */
void answer_line(struct answer *a, const char *line, size_t len);

/* The token is no longer valid: authenticate, and ask again. */
bool answer_wants_token(const struct answer *a);

/* This etcd has no users, so no token is needed. */
bool answer_has_no_users(const struct answer *a);

/* Another member may have a better answer; this may also be a proxy, or no etcd at all. */
bool answer_is_elsewhere(const struct answer *a);

/*
 * 0, or the error of MEMBER, a URL, with its message: -EACCES, -ENOENT, -ENOSPC (also: too busy),
 * -ESTALE (compacted), -EHOSTUNREACH (no leader, or no answer in time), -EINVAL, -EPROTO (not
 * etcd), -EIO.
 */
int answer_fail(const struct answer *a, const char *member);

#endif
