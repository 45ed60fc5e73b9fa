// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cluster/call.h"
#include "cluster/record.h"

static int put(struct etcd *e, const struct member *m, const char *name, unsigned int seconds)
{
	char key[MEMBER_KEY], value[CHANGE_TEXT];
	const struct etcd_op put = {.kind = ETCD_PUT, .range = {key}, .value = value};
	struct etcd_op leased = put;
	const struct etcd_txn txn = {.then = &leased, .n_then = 1};
	int err = etcd_lease(e, seconds, &leased.lease);

	member_key(m, "call", name, key);
	snprintf(value, sizeof(value), "{\"by\":\"%s\"}", m->host.s);
	err = err ?: etcd_commit(e, &txn, NULL);
	return err < 0 ? err : 0;
}

int call_wait(struct etcd *e, const struct member *m, unsigned int seconds,
	      char number[CHANGE_NONCE])
{
	char name[CHANGE_NONCE + 8];
	int err = change_number(number);

	snprintf(name, sizeof(name), "wait/%s", number);
	return err ?: put(e, m, name, seconds);
}

int call_accept(struct etcd *e, const struct member *m)
{
	return put(e, m, "accept", CALL_ACCEPT_SECONDS);
}

/* ---- what is there ---------------------------------------------------------------- */

struct listing {
	size_t prefix; /* octets */
	call_answer *answer;
	call_living *living;
	call_endpoint *endpoint;
	void *context;
};

static int read_prefix(struct etcd *e, const struct member *m, const char *kind, etcd_each *each,
		       struct listing *l)
{
	const struct records r = {.e = e, .m = *m};
	char key[MEMBER_KEY];

	member_key(m, kind, "", key);
	l->prefix = strlen(key);
	return records_read(&r, NULL, each, l, "%s/", kind);
}

static int take_answer(void *context, const struct etcd_entry *entry)
{
	const struct listing *l = context;
	json_t *value = json_loads(entry->value, 0, NULL);
	const json_int_t failed = json_integer_value(json_object_get(value, "failed"));
	const int err = l->answer(l->context, entry->key + l->prefix, (__u64)failed,
				  json_object_get(value, "unreached"));

	json_decref(value);
	return err;
}

int call_answers(struct etcd *e, const struct member *m, const char *number, call_answer *each,
		 void *context)
{
	struct listing l = {.answer = each, .context = context};
	char kind[CHANGE_NONCE + 8];

	snprintf(kind, sizeof(kind), "answer/%s", number);
	return read_prefix(e, m, kind, take_answer, &l);
}

static int take_alive(void *context, const struct etcd_entry *entry)
{
	const struct listing *l = context;
	json_t *value = json_loads(entry->value, 0, NULL);
	const char *version = json_string_value(json_object_get(value, "version"));
	const json_t *since = json_object_get(value, "since");
	const struct call_alive alive = {
		.host = entry->key + l->prefix,
		.version = version ? version : "",
		.since = json_is_integer(since) ? (__s64)json_integer_value(since) : -1,
	};
	const int err = l->living(l->context, &alive);

	json_decref(value);
	return err;
}

int call_alive(struct etcd *e, const struct member *m, call_living *each, void *context)
{
	struct listing l = {.living = each, .context = context};

	return read_prefix(e, m, "alive", take_alive, &l);
}

/* `at/HOST/ID/NAME` */
static int take_endpoint(void *context, const struct etcd_entry *entry)
{
	const struct listing *l = context;
	const char *at = entry->key + l->prefix;
	char host[MEMBER_KEY];

	snprintf(host, sizeof(host), "%.*s", (int)strcspn(at, "/"), at);
	return strchr(at, '/') ? l->endpoint(l->context, host) : 0;
}

int call_endpoints(struct etcd *e, const struct member *m, call_endpoint *each, void *context)
{
	struct listing l = {.endpoint = each, .context = context};

	return read_prefix(e, m, "at", take_endpoint, &l);
}
