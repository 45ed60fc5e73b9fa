// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever a server sends in place of etcd: headers, frames, messages, in any order. What is read
 * of it are texts whose keys lie in the range that was asked for, revisions only go on, nothing is
 * told of a range that is not followed.
 *
 * Input: what is asked, then answers. An answer is a length of two octets (the highest bit: the
 * stream ends with it), a kind, and so many octets. The kinds are headers as etcd's, the input's
 * own, or a message without its frame's head.
 */
#include <stdlib.h>
#include <string.h>

#include "etcd/watch_ranges.h"
#include "fake_curl.h"
#include "fuzz.h"

enum { ANSWERS = 16, RANGES = 4, TURNS = 40 };

static __s64 marks[RANGES];
static bool followed[RANGES];
static struct etcd_watch *watch;

unsigned int __wrap_etcd_jitter(unsigned int most_ms);
unsigned int __wrap_etcd_jitter(unsigned int most_ms)
{
	(void)most_ms;
	return 0;
}

static int each(void *context, const struct etcd_entry *entry)
{
	(void)context;
	MUST(entry->key && entry->value && !strncmp(entry->key, "/t/", 3));
	return 0;
}

static void on_event(void *context, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	(void)deleted;
	MUST(id < RANGES && followed[id]);
	MUST(entry->modified > marks[id]);
	each(context, entry);
	/* As an owner may, in the midst of it. */
	if (strlen(entry->key) == 3) {
		etcd_watch_del(watch, id);
		followed[id] = false;
	}
}

static void on_mark(void *context, __u64 id, __s64 revision)
{
	(void)context;
	MUST(id < RANGES && followed[id]);
	MUST(revision > marks[id]);
	marks[id] = revision;
}

static void on_lost(void *context, __u64 id, int err)
{
	const struct etcd_range range = {"/t/", "/t0"};

	(void)context;
	MUST(id < RANGES && followed[id]);
	must_have_failed(err);
	followed[id] = id % 2;
	marks[id] = 0;
	if (followed[id])
		MUST(!etcd_watch_add(watch, id, &range, 1));
}

static void on_state(void *context, int err)
{
	(void)context;
	if (err)
		must_have_failed(err);
}

static void follow(struct etcd *e)
{
	static const struct etcd_watcher watcher = {on_event, on_mark, on_lost, on_state, NULL};
	const struct etcd_range range = {"/t/", "/t0"};
	unsigned int i;

	MUST(!etcd_watch_open(e, &watcher, &watch));
	for (i = 0; i < RANGES; i++) {
		marks[i] = 0;
		followed[i] = true;
		MUST(!etcd_watch_add(watch, i, &range, 1));
	}
	for (i = 0; i < TURNS && fake.at < fake.n; i++)
		etcd_watch_run(watch, NULL, 0, 0);
	etcd_watch_close(watch);
}

static void ask(struct etcd *e, unsigned int what)
{
	const struct etcd_range range = {"/t/", "/t0"};
	const struct etcd_op get = {.kind = ETCD_GET, .range = range};
	const struct etcd_txn txn = {.then = &get, .n_then = 1, .each = each};
	struct etcd_member member;
	__s64 number = 0;
	int err = 0;

	switch (what % 6) {
	case 0:
		err = etcd_read(e, &range, &number, each, NULL);
		break;
	case 1:
		err = etcd_commit(e, &txn, &number);
		break;
	case 2:
		err = etcd_lease(e, 10, &number);
		break;
	case 3:
		err = etcd_lease_keep(e, 1);
		break;
	case 4:
		err = etcd_member(e, 0, &member);
		break;
	default:
		follow(e);
	}
	if (err < 0)
		must_have_failed(err);
}

/* Takes one answer into *BODY and A; returns what is behind it. */
static const uint8_t *answer(const uint8_t *at, const uint8_t *end, struct fake_answer *a,
			     uint8_t **body)
{
	static const char head[] = "HTTP/2 200 \ncontent-type: application/grpc\n";
	size_t len = (at[0] & 0x7f) << 8 | at[1];
	const bool more = !(at[0] & 0x80);
	const unsigned int kind = at[2] % 3;

	at += 3;
	if (len > (size_t)(end - at))
		len = (size_t)(end - at);
	*body = calloc(1, FRAME_HEAD + len + 1);
	memcpy(*body + FRAME_HEAD, at, len);
	frame_head(*body, len);
	*a = (struct fake_answer){head, *body + FRAME_HEAD, len, "grpc-status: 0\n", .more = more};
	if (kind == 1) {
		a->head = a->body;
		a->trailers = NULL;
		a->len = 0;
	} else if (kind == 2) {
		a->body = *body;
		a->len = FRAME_HEAD + len;
	}
	if (more)
		a->trailers = NULL;
	return at + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake_answer all[ANSWERS];
	const uint8_t *at = data + 1, *end = data + size;
	uint8_t *bodies[ANSWERS];
	struct etcd *e;
	size_t n = 0;

	if (size < 4)
		return 0;
	while (end - at >= 3 && n < ANSWERS) {
		at = answer(at, end, &all[n], &bodies[n]);
		n++;
	}
	e = fake_etcd("http://a,http://b", size % 2 ? "user" : NULL, size % 2 ? "word" : NULL);
	e->timeout_ms = 1;
	fake.answers = all;
	fake.n = n;
	ask(e, data[0]);
	etcd_close(e);
	while (n)
		free(bodies[--n]);
	return 0;
}
