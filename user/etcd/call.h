/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this folder: the client, one HTTP request to a member, one call. */
#ifndef TSW_ETCD_CALL_H
#define TSW_ETCD_CALL_H

#include "base/err.h"
#include "etcd.pb-c.h"
#include "etcd/answer.h"
#include "etcd/curl.h"
#include "etcd/etcd.h"
#include "etcd/frame.h"

struct etcd {
	struct curl curl;
	CURL *easy; /* for calls; keeps its connection */
	char member[ETCD_MEMBERS][280];
	size_t n, at; /* AT: the member that is asked */
	char *ca, *cert, *key, *user, *password_file;
	const char *wake;    /* see etcd_wake_by() */
	__u64 files;	     /* see etcd_files_changed() */
	char *token;	     /* of this user; NULL: none yet */
	unsigned int tokens; /* received so far */
	bool dead;	     /* EASY's connection did not answer */
	unsigned int timeout_ms;
	__u64 end;     /* of all calls, ns of CLOCK_MONOTONIC; 0: each call has its own time */
	__u64 cluster; /* id of the only store that is accepted; 0: any */
	struct etcd_seen seen;
	size_t odd;
	etcd_told *tell; /* of a dry run; or NULL */
	void *context;	 /* of TELL */
	int stop;	 /* fd: calls end when it is readable; -1: none */
};

/* Checks and copies the texts of CONFIG. */
int etcd_configure(struct etcd *e, const struct etcd_config *config);

/* Reads the password from its file. */
enum { ETCD_PASSWORD = 256 };
int etcd_read_password(const struct etcd *e, char password[ETCD_PASSWORD]);

struct http {
	const struct etcd *e;
	struct curl_slist *headers;
	struct answer answer;
	struct frames in;
	frame_each *each;
	void *context;
	int err;	      /* from EACH or from frames_take() */
	struct failure files; /* code 0: the files may be used */
	char why[CURL_ERROR_SIZE];
};

/* Sets EASY up for a request for PATH, such as "KV/Range", to MEMBER. Keep H until http_end(). */
int http_begin(struct etcd *e, CURL *easy, struct http *h, const char *member, const char *path);
int http_header(struct etcd *e, struct http *h, const char *name, const char *value);
void http_end(struct etcd *e, CURL *easy, struct http *h);

/* The request's result; CODE is libcurl's. -EHOSTUNREACH: no complete answer came. */
int http_result(struct etcd *e, const struct http *h, CURLcode code, const char *member);

/* Is it an error of this host, which would be the same with every member? */
bool http_is_ours(const struct http *h, CURLcode code);

/*
 * Gets a token for the user and password, if there are any and etcd wants one. *ELSEWHERE: ask
 * another member.
 */
int etcd_authenticate(struct etcd *e, const char *member, unsigned int ms, bool *elsewhere);
void etcd_forget_token(struct etcd *e);

/*
 * Calls PATH and unpacks the answer; free it by protobuf_c_message_free_unpacked(). MEMBER: only
 * that one; NULL: any member that answers in time.
 */
int etcd_call(struct etcd *e, const char *member, const char *path, const ProtobufCMessage *ask,
	      const ProtobufCMessageDescriptor *kind, void *answer);

/* Takes note of an answer's header. -EEXIST: it comes from another store than `cluster`. */
int etcd_see(struct etcd *e, const EtcdPb__Header *header);

/* Is KEY, compared by octets, in RANGE? */
bool etcd_is_in(const struct etcd_range *range, const ProtobufCBinaryData *key);

/*
 * Copies KV, an answer about RANGE. -EINVAL: its key is outside of RANGE, or there is a NUL in it;
 * this is counted. After an error there is nothing to free.
 */
int etcd_entry(struct etcd *e, const struct etcd_range *range, const EtcdPb__KeyValue *kv,
	       struct etcd_entry *entry);
void etcd_entry_free(struct etcd_entry *entry);

/* A text as bytes, for messages. */
static inline ProtobufCBinaryData etcd_bytes(const char *text)
{
	return (ProtobufCBinaryData){text ? __builtin_strlen(text) : 0, (uint8_t *)text};
}

#endif
