/* SPDX-License-Identifier: GPL-2.0-only */
/* A libcurl that answers from memory: what etcd's client does with it needs no etcd. */
#ifndef FAKE_CURL_H
#define FAKE_CURL_H

#include "etcd/call.h"

/* What comes in a turn: of a call, all of the answer; of a stream, a part. */
struct fake_answer {
	const char *head; /* lines, each ended by \n; NULL: none */
	const void *body;
	size_t len;
	const char *trailers; /* lines */
	CURLcode code;	      /* with which it ends */
	bool more;	      /* a stream stays open */
};

/* One thread's, as all here. */
extern struct fake {
	const struct fake_answer *answers;
	size_t n, at;	     /* of answers; beyond them nobody is there, and a stream silent */
	char url[512];	     /* that was asked last */
	char token[64];	     /* sent with it; "": none */
	uint8_t asked[4096]; /* its message, without the frame's head */
	size_t asked_len;
	unsigned int calls;
} fake;

/* An etcd by it: close it by etcd_close(). */
struct etcd *fake_etcd(const char *urls, const char *user, const char *password);

/* What the file has from now on from which FAKE_ETCD's client reads its password. */
void fake_password(const char *password);

/* From now on. */
void fake_answers(const struct fake_answer *all, size_t n);

/* An answer of a call that went well, its octets in hex; good for some sixteen more of these. */
struct fake_answer fake_octets(const char *hex);

#endif
