/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files here share: an etcd, one HTTP request to a member of it, a call by it. */
#ifndef TSW_ETCD_CALL_H
#define TSW_ETCD_CALL_H

#include "etcd.pb-c.h"
#include "etcd/answer.h"
#include "etcd/curl.h"
#include "etcd/etcd.h"
#include "etcd/frame.h"

struct etcd {
	struct curl curl;
	CURL *easy; /* of calls: keeps its connection */
	char member[ETCD_MEMBERS][280];
	size_t n, at; /* which of them is asked */
	char *ca, *cert, *key, *user, *password;
	char *token;	     /* of this user; NULL: none yet */
	unsigned int tokens; /* so many were got */
	bool dead;	     /* its connection did not answer */
	unsigned int timeout_ms;
	__u64 end;     /* of all calls, ns of CLOCK_MONOTONIC; 0: each has its own */
	__u64 cluster; /* this store alone; 0: any */
	struct etcd_seen seen;
	size_t odd;
	int stop; /* fd: calls end when it is readable; -1: none */
};

/* The texts of CONFIG, checked and copied. */
int etcd_configure(struct etcd *e, const struct etcd_config *config);

struct http {
	struct curl_slist *headers;
	struct answer answer;
	struct frames in;
	frame_each *each;
	void *context;
	int err; /* of EACH, or of the frames */
	char why[CURL_ERROR_SIZE];
};

/* Sets EASY up to ask PATH, as "KV/Range", of MEMBER. H is there until http_end(). */
int http_begin(struct etcd *e, CURL *easy, struct http *h, const char *member, const char *path);
int http_header(struct etcd *e, struct http *h, const char *name, const char *value);
void http_end(struct etcd *e, CURL *easy, struct http *h);

/* How it ended: CODE is libcurl's. -EHOSTUNREACH: before an answer was whole. */
int http_result(struct etcd *e, const struct http *h, CURLcode code, const char *member);

/*
 * A name and a password become a token, where there are any, and where etcd wants one. *ELSEWHERE:
 * ask another member.
 */
int etcd_authenticate(struct etcd *e, const char *member, unsigned int ms, bool *elsewhere);
void etcd_forget_token(struct etcd *e);

/*
 * Asks PATH, and unpacks what is answered: free it by
 * protobuf_c_message_free_unpacked(). MEMBER: that one alone; NULL: whoever answers in time.
 */
int etcd_call(struct etcd *e, const char *member, const char *path, const ProtobufCMessage *ask,
	      const ProtobufCMessageDescriptor *kind, void *answer);

/* -EEXIST: it is of another store than is asked for. */
int etcd_see(struct etcd *e, const EtcdPb__Header *header);

/* KEY, as octets, lies in RANGE. */
bool etcd_is_in(const struct etcd_range *range, const ProtobufCBinaryData *key);

/*
 * Copies KV, which was told of RANGE. -EINVAL: its key lies outside, or there is a NUL inside:
 * counted; -ENOMEM. Then there is nothing to free.
 */
int etcd_entry(struct etcd *e, const struct etcd_range *range, const EtcdPb__KeyValue *kv,
	       struct etcd_entry *entry);
void etcd_entry_free(struct etcd_entry *entry);

/* For messages: bytes of a text. */
static inline ProtobufCBinaryData etcd_bytes(const char *text)
{
	return (ProtobufCBinaryData){text ? __builtin_strlen(text) : 0, (uint8_t *)text};
}

#endif
