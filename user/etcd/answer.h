/* SPDX-License-Identifier: GPL-2.0-only */
/* How a call ended: gRPC's status, which stands in the trailers (or, where nothing else was
 * answered, in the headers), and HTTP's. */
#ifndef TSW_ETCD_ANSWER_H
#define TSW_ETCD_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* gRPC's, as far as they are told apart. */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_PERMISSION = 7,
	GRPC_EXHAUSTED = 8,
	GRPC_PRECONDITION = 9,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_UNAVAILABLE = 14,
	GRPC_UNAUTHENTICATED = 16,
	GRPC_NONE = -1, /* none was told */
};

struct answer {
	int http;	/* status; 0: none */
	bool grpc;	/* the content is gRPC's */
	int status;	/* enum grpc_status, or another of its numbers */
	char text[512]; /* the server's, percent-decoded; cut where it is longer */
};

void answer_begin(struct answer *a);

/* A line of headers or trailers, without regard to case; others than those above are skipped. */
void answer_line(struct answer *a, const char *line, size_t len);

/* The token that was sent is none any more: authenticate, and ask again. */
bool answer_wants_token(const struct answer *a);

/* Nobody needs a token. */
bool answer_has_no_users(const struct answer *a);

/* Another member may have a better answer: also than a proxy, or whatever is there. */
bool answer_is_elsewhere(const struct answer *a);

/*
 * 0, or sets what MEMBER, a URL, said: -EACCES, -ENOENT, -ENOSPC (also: too busy), -ESTALE
 * (compacted), -EHOSTUNREACH (no leader, no answer in time), -EINVAL, -EPROTO (it is no etcd),
 * -EIO.
 */
int answer_fail(const struct answer *a, const char *member);

#endif
