// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "etcd/call.h"

/* CALL_MOST: the default of etcd's --max-request-bytes. */
enum { AGAIN_MS = 100, AGAIN_MOST_MS = 1000, CALL_MOST = 3 << 19 };
enum { HASTE_MS = 50 }; /* a try with less time may fail for that alone */

bool etcd_is_away(int err)
{
	return err == -EHOSTUNREACH || err == -ETIMEDOUT;
}

unsigned int etcd_jitter(unsigned int most_ms)
{
	unsigned int r = 0;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != sizeof(r))
		return most_ms;
	return r % (most_ms + 1);
}

/* One call at one member, and the only message of its answer. */
struct call {
	const char *path;
	const ProtobufCMessage *ask;
	const ProtobufCMessageDescriptor *kind;
	ProtobufCMessage *answer;
	bool elsewhere; /* another member may answer */
	bool late;	/* no answer came in time */
	bool token;	/* the token is no longer valid */
	bool no_users;	/* this etcd has no users */
};

static int take_answer(void *context, const uint8_t *message, size_t len)
{
	struct call *call = context;

	if (call->answer)
		return -EPROTO;
	call->answer = protobuf_c_message_unpack(call->kind, NULL, len, message);
	return call->answer ? 0 : -EPROTO;
}

static void forget(struct call *call)
{
	if (call->answer)
		protobuf_c_message_free_unpacked(call->answer, NULL);
	call->answer = NULL;
}

void etcd_forget_token(struct etcd *e)
{
	if (e->token)
		explicit_bzero(e->token, strlen(e->token));
	free(e->token);
	e->token = NULL;
}

static void judge(struct call *call, const struct http *h, CURLcode code, int err)
{
	if (code != CURLE_OK && !h->err)
		call->elsewhere = !http_is_ours(h, code);
	else
		call->elsewhere = err == -EPROTO || answer_is_elsewhere(&h->answer);
	call->late = code == CURLE_OPERATION_TIMEDOUT;
	call->token = answer_wants_token(&h->answer);
	call->no_users = answer_has_no_users(&h->answer);
}

static int perform(struct etcd *e, struct call *call, struct http *h, const char *member)
{
	const size_t len = protobuf_c_message_get_packed_size(call->ask);
	uint8_t *body;
	CURLcode code;
	int err;

	if (len > CALL_MOST)
		return fail(E2BIG, "the request exceeds the %d octets that etcd accepts",
			    CALL_MOST);
	body = malloc(FRAME_HEAD + len);
	if (!body)
		return fail_memory();
	frame_head(body, len);
	protobuf_c_message_pack(call->ask, body + FRAME_HEAD);
	e->curl.easy_setopt(e->easy, CURLOPT_POSTFIELDS, body);
	e->curl.easy_setopt(e->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(FRAME_HEAD + len));
	code = e->curl.easy_perform(e->easy);
	e->dead = code != CURLE_OK;
	err = http_result(e, h, code, member);
	if (!err && !call->answer)
		err = fail(EPROTO, "%s sent an empty answer", quoted(member));
	judge(call, h, code, err);
	explicit_bzero(body, FRAME_HEAD + len); /* it may contain a password */
	free(body);
	return err;
}

/* Replaces the handle, because libcurl would keep a connection that did not answer. */
static int renew(struct etcd *e)
{
	CURL *new = e->dead ? e->curl.easy_init() : NULL;

	if (!e->dead)
		return 0;
	if (!new)
		return fail_memory();
	e->curl.easy_cleanup(e->easy);
	e->easy = new;
	e->dead = false;
	return 0;
}

static int once(struct etcd *e, struct call *call, const char *member, unsigned int ms)
{
	struct http h = {.each = take_answer, .context = call};
	char timeout[16];
	int err;

	/* At most eight digits (gRPC over HTTP/2, "Timeout"). */
	snprintf(timeout, sizeof(timeout), "%um", ms < 99999999 ? ms : 99999999);
	call->elsewhere = call->late = call->token = call->no_users = false;
	err = renew(e);
	err = err ?: http_begin(e, e->easy, &h, member, call->path);
	err = err ?: http_header(e, &h, "grpc-timeout", timeout);
	e->curl.easy_setopt(e->easy, CURLOPT_TIMEOUT_MS, (long)ms);
	err = err ?: perform(e, call, &h, member);
	if (err)
		forget(call);
	http_end(e, e->easy, &h);
	return err;
}

int etcd_authenticate(struct etcd *e, const char *member, unsigned int ms, bool *elsewhere)
{
	EtcdPb__AuthenticateRequest ask = ETCD_PB__AUTHENTICATE_REQUEST__INIT;
	struct call call = {"Auth/Authenticate", &ask.base,
			    &etcd_pb__authenticate_response__descriptor};
	EtcdPb__AuthenticateResponse *answer;
	char password[ETCD_PASSWORD] = "";
	int err;

	etcd_forget_token(e);
	*elsewhere = false;
	if (!e->user)
		return 0;
	err = etcd_read_password(e, password);
	ask.name = e->user;
	ask.password = password;
	err = err ?: once(e, &call, member, ms);
	explicit_bzero(password, sizeof(password));
	*elsewhere = call.elsewhere;
	if (err && call.no_users)
		return 0;
	if (err) {
		fail_where("as user %s: ", quoted(e->user));
		return err;
	}
	answer = (EtcdPb__AuthenticateResponse *)call.answer;
	e->token = strdup(answer->token);
	e->tokens++;
	forget(&call);
	return e->token ? 0 : fail_memory();
}

static unsigned int ms_until(__u64 end)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	return now < end ? (unsigned int)((end - now) / MS_NS) : 0;
}

/* At least 1, because for libcurl 0 means no limit. */
static unsigned int some_ms(__u64 end)
{
	const unsigned int ms = ms_until(end);

	return ms ? ms : 1;
}

/* Asks one member with a valid token. At most four requests share the time MS. */
static int ask_member(struct etcd *e, struct call *call, const char *member, unsigned int ms)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	int err;

	call->late = false;
	err = e->token ? 0 : etcd_authenticate(e, member, some_ms(end), &call->elsewhere);
	err = err ?: once(e, call, member, some_ms(end));
	if (!err || !call->token || !e->user)
		return err;
	err = etcd_authenticate(e, member, some_ms(end), &call->elsewhere);
	return err ?: once(e, call, member, some_ms(end));
}

/* Is the caller to end now, or within MS? */
static bool is_stopped(const struct etcd *e, unsigned int ms)
{
	struct pollfd fd = {.fd = e->stop, .events = POLLIN};

	return poll(&fd, 1, (int)ms) > 0;
}

/* Waits between two rounds, each time longer, but not beyond END. */
static void pause_until(const struct etcd *e, __u64 end, unsigned int *again)
{
	const unsigned int left = ms_until(end);

	is_stopped(e, etcd_jitter(*again < left ? *again : left));
	*again = *again < AGAIN_MOST_MS ? *again * 2 : *again;
}

/*
 * Asks each member in turn, and all of them again while there is time. A silent member leaves time
 * for the others. The final error is the real reason, not a timeout of the last try.
 */
static int ask_all(struct etcd *e, struct call *call)
{
	const __u64 end = e->end ? e->end : clock_ns(CLOCK_MONOTONIC) + e->timeout_ms * MS_NS;
	unsigned int again = AGAIN_MS, left;
	struct failure why = {};
	size_t asked = 0;
	int err;

	for (;;) {
		if (is_stopped(e, 0))
			return fail(EINTR, "interrupted while waiting for etcd");
		left = ms_until(end) / (unsigned int)(e->n - asked);
		err = ask_member(e, call, e->member[e->at], left ? left : 1);
		if (!err || !call->elsewhere)
			return err;
		if ((!call->late && left > HASTE_MS) || !why.code)
			why = *failure();
		e->at = (e->at + 1) % e->n;
		if (++asked == e->n) {
			asked = 0;
			pause_until(e, end, &again);
		}
		if (!ms_until(end))
			return fail_again(&why);
	}
}

int etcd_call(struct etcd *e, const char *member, const char *path, const ProtobufCMessage *ask,
	      const ProtobufCMessageDescriptor *kind, void *answer)
{
	struct call call = {path, ask, kind};
	int err = member ? ask_member(e, &call, member, e->timeout_ms) : ask_all(e, &call);

	*(ProtobufCMessage **)answer = call.answer;
	return err;
}
