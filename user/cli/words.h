/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the KEY VALUE words of a command into the structure that they describe. */
#ifndef TSW_WORDS_H
#define TSW_WORDS_H

#include <stdbool.h>

#include <jansson.h>

#include "record/fields.h"
#include "trace/trace.h"

#define W_NAME (1ULL << 63)   /* in `given`: the NAME after the verb, which has no key */
#define W_SECOND (1ULL << 62) /* likewise: the name after that */

/* Words that say what a command does, not what an object has. */
enum option_field {
	OPTION_FORCE,
	OPTION_DRY_RUN,
	OPTION_ENDPOINTS,
	OPTION_TENANT,
	OPTION_DROPS,
	OPTION_POLICIES,
	OPTION_COUNT,
	OPTION_RATE,
	OPTION_ENDPOINT,
	OPTION_SNAPLEN,
	OPTION_WRITE,
	OPTION_TENANTS,
	OPTION_INTERVAL,
	OPTION_KNOWN,
	OPTION_NAME,
	OPTION_WAIT,
	OPTION_MISSING,
	OPTION_CONTAINERS,
	OPTION_CENTRAL,
	OPTION_SPREAD,
	OPTION_HOST,
	OPTION_WEIGHT,
	OPTION_LOAD,
	OPTION_DRAIN,
	OPTION_APPLY,
	OPTION_ONCE,
	OPTION_PROBE,
	OPTION_HOLD,
	OPTION_SYNC,
	OPTION_TIMEOUT,
	OPTION_TOP,
	OPTION_TO,
	OPTION_EVERY,
	OPTION_DOMAIN,
	OPTION_LISTEN,
	OPTION_PORT,
	OPTION_SOCKET,
};

struct option_words {
	bool force;
	bool dry_run;
	bool endpoints;
	struct tsw_name tenant;
	__u32 count;
	__u32 rate; /* of events, in a second */
	struct tsw_name endpoint;
	__u32 snaplen;
	const char *write; /* a file */
	bool tenants;	   /* metrics of each */
	__u32 interval;	   /* seconds */
	const char *known; /* a file */
	struct tsw_name name;
	__u32 wait; /* seconds */
	__u32 missing;
	__u32 containers;
	__u32 drain; /* seconds */
	bool once;
	__u32 timeout; /* seconds */
	__u32 probe;   /* milliseconds; 0: no probes */
	__u32 hold;    /* seconds */
	bool sync;
	__u32 top;	      /* print at most so many */
	struct tsw_target to; /* a collector of flows */
	__u32 every;	      /* seconds */
	__u32 domain;	      /* observation domain */
	__u32 listen;	      /* of web_listens */
	__u32 port;
	const char *socket; /* a file */
};

/* Where `web` may listen: no other machine reaches these. */
extern const char *const web_listens[];

enum join_field {
	JOIN_ETCD,
	JOIN_NAME,
	JOIN_CA,
	JOIN_CERT,
	JOIN_KEY,
	JOIN_USER,
	JOIN_PASSWORD_FILE,
};

/* How to reach a cluster's etcd. NULL: not given. */
struct join_words {
	const char *etcd; /* URLs */
	struct tsw_name name;
	const char *ca, *cert, *key; /* files */
	const char *user, *password_file;
};

struct words {
	enum object_kind kind; /* of the object that the command is about, see cmd_add() */
	__u64 given;	       /* FIELD() of the command's table, W_NAME; other fields are zero */
	__u32 automatic;       /* TSW_AUTO_*: for which of the given words `auto` stands */
	struct tsw_name name;
	struct tsw_name second; /* of something that the tenant has */
	const char *file;	/* in place of a name */
	char *const *all;	/* all KEY VALUE words, for commands that read lists of their own */
	size_t at;		/* offset of the member that the command uses */
	const struct field *lacks; /* after an error: the key whose value is missing */
	bool unlike;		   /* likewise: the command knows no word like that */
	union {
		struct tsw_switch_spec up;
		struct tsw_host_spec host;
		struct tsw_tenant_spec tenant;
		struct tsw_endpoint_spec endpoint;
		struct tsw_gateway_spec gateway;
		struct tsw_publish_spec publish;
		struct tsw_peer_spec peer;
		struct tsw_policy_spec policy;
		struct trace_question trace;
		struct option_words option;
		struct join_words join;
	};
};

/* A table of words, and the member of struct words that they fill. */
struct vocabulary {
	const struct field *fields;
	size_t at; /* in struct words */
};

extern const struct vocabulary switch_words, host_words, tenant_words, endpoint_words,
	gateway_words, publish_words, peer_words, policy_words, trace_words, option_words,
	join_words;

/* Reads KEY VALUE ... up to NULL; TAKES says which fields the command knows. */
int words_read(char *const *word, const struct vocabulary *v, __u64 takes, struct words *w);

/* Whether WORD is one of TAKES that has no value. */
bool words_is_flag(const char *word, const struct vocabulary *v, __u64 takes);

/* How many values stand behind KEY, the first of which is NEXT; -1: it is no key. */
int words_values(const char *key, const char *next, const struct vocabulary *v, __u64 takes);

/* How many words the key at WORD and its value are; 1 for a key without a value. */
int words_width(char *const *word, const struct vocabulary *v, __u64 takes);

/* The keys in TAKES, for programs: [{"key", "kind", "needed", "list", ...}]. */
json_t *words_json(const struct vocabulary *v, __u64 takes, __u64 needs);

#endif
