// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "etcd/watch_ranges.h"

enum {
	CONNECT_MS = 5000,
	SIGN_IN_MS = 1000, /* short, because everything else waits meanwhile */
	SILENT_MS = 5000,  /* of silence, then etcd is asked, and has as long again to answer */
	AGAIN_MS = 100,
	AGAIN_MOST_MS = 30000,
	FDS = 8,
};

struct etcd_watch {
	struct etcd *e;
	struct watch_ranges ranges;
	CURLM *multi;
	CURL *easy;
	struct http http;
	char member[280];

	size_t at;  /* the present member; calls have one of their own */
	bool open;  /* a request is under way */
	bool down;  /* the watcher knows that etcd does not answer */
	bool asked; /* etcd, for a sign of life */
	unsigned int tries;
	unsigned int tokens;	      /* of E, when the connection began */
	unsigned int restarts;	      /* in a row, without a message in between */
	__u64 begun, heard, asked_at; /* ns of CLOCK_MONOTONIC, the last time */
	__u64 due;		      /* when to connect again */

	uint8_t *out; /* octets to send */
	size_t used, sent, room;
	bool paused; /* libcurl has nothing to send */
};

static __u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int etcd_watch_open(struct etcd *e, const struct etcd_watcher *watcher, struct etcd_watch **opened)
{
	struct etcd_watch *w = calloc(1, sizeof(*w));

	*opened = NULL;
	if (!w)
		return fail_memory();
	w->e = e;
	w->at = e->at;
	w->ranges = (struct watch_ranges){.e = e, .watcher = watcher};
	w->multi = e->curl.multi_init();
	w->easy = e->curl.easy_init();
	if (!w->multi || !w->easy) {
		etcd_watch_close(w);
		return fail_memory();
	}
	*opened = w;
	return 0;
}

static void hang_up(struct etcd_watch *w)
{
	if (!w->open)
		return;
	w->e->curl.multi_remove_handle(w->multi, w->easy);
	http_end(w->e, w->easy, &w->http);
	watch_ranges_restart(&w->ranges);
	w->open = w->asked = w->paused = false;
	w->used = w->sent = 0;
}

void etcd_watch_close(struct etcd_watch *w)
{
	const struct curl *c;

	if (!w)
		return;
	hang_up(w);
	c = &w->e->curl;
	if (w->easy)
		c->easy_cleanup(w->easy);
	if (w->multi)
		c->multi_cleanup(w->multi);
	watch_ranges_free(&w->ranges);
	free(w->out);
	free(w);
}

/* Appends to the octets to send, which libcurl fetches when it has room. */
static int send_message(struct etcd_watch *w, const EtcdPb__WatchRequest *request)
{
	const size_t len = etcd_pb__watch_request__get_packed_size(request);

	if (w->sent == w->used)
		w->sent = w->used = 0;
	if (w->room - w->used < FRAME_HEAD + len) {
		const size_t room = 2 * (w->used + FRAME_HEAD + len);
		uint8_t *out = realloc(w->out, room);

		if (!out)
			return fail_memory();
		w->out = out;
		w->room = room;
	}
	frame_head(w->out + w->used, len);
	etcd_pb__watch_request__pack(request, w->out + w->used + FRAME_HEAD);
	w->used += FRAME_HEAD + len;
	return 0;
}

static size_t fetch(char *to, size_t size, size_t n, void *context)
{
	struct etcd_watch *w = context;
	size_t len = w->used - w->sent;

	if (!len) {
		w->paused = true;
		return CURL_READFUNC_PAUSE;
	}
	if (len > size * n)
		len = size * n;
	memcpy(to, w->out + w->sent, len);
	w->sent += len;
	return len;
}

/* Asks for a watch, with the next watch_id. */
static int ask(struct etcd_watch *w, EtcdPb__WatchCreateRequest *create)
{
	EtcdPb__WatchRequest request = ETCD_PB__WATCH_REQUEST__INIT;
	int err;

	create->watch_id = w->ranges.watch_ids + 1;
	request.request_case = ETCD_PB__WATCH_REQUEST__REQUEST_CREATE;
	request.create = create;
	err = send_message(w, &request);
	if (!err)
		w->ranges.watch_ids++;
	return err;
}

static int ask_range(struct etcd_watch *w, struct watch_range *range)
{
	EtcdPb__WatchCreateRequest create = ETCD_PB__WATCH_CREATE_REQUEST__INIT;
	int err;

	create.key = etcd_bytes(range->key);
	create.range_end = etcd_bytes(range->end);
	create.start_revision = range->next;
	create.progress_notify = true;
	create.fragment = true; /* otherwise a thousand revisions come at once, however large */
	err = ask(w, &create);
	if (!err)
		range->watch_id = w->ranges.watch_ids;
	return err;
}

/*
 * Asks for a watch of one key, and cancels it as soon as etcd has created it. etcd's own progress
 * request is not answered while any watch lags behind or waits for a future revision.
 */
static int ask_life(struct etcd_watch *w)
{
	EtcdPb__WatchCreateRequest create = ETCD_PB__WATCH_CREATE_REQUEST__INIT;

	create.key = etcd_bytes(w->ranges.at[0].key);
	w->asked = true;
	w->asked_at = now_ns(); /* it is sent at once, in the next turn */
	return ask(w, &create);
}

static void take_back(struct etcd_watch *w, __s64 watch_id)
{
	EtcdPb__WatchRequest request = ETCD_PB__WATCH_REQUEST__INIT;
	EtcdPb__WatchCancelRequest cancel = ETCD_PB__WATCH_CANCEL_REQUEST__INIT;

	cancel.watch_id = watch_id;
	request.request_case = ETCD_PB__WATCH_REQUEST__REQUEST_CANCEL;
	request.cancel = &cancel;
	/* If sending fails, events without a range come, which are ignored. */
	if (watch_id && w->open)
		send_message(w, &request);
}

int etcd_watch_add(struct etcd_watch *w, __u64 id, const struct etcd_range *range, __s64 revision)
{
	int err = watch_ranges_add(&w->ranges, id, range, revision);

	if (!err && w->open)
		err = ask_range(w, &w->ranges.at[w->ranges.n - 1]);
	return err;
}

void etcd_watch_del(struct etcd_watch *w, __u64 id)
{
	take_back(w, watch_ranges_del(&w->ranges, id));
}

static int take_message(void *context, const uint8_t *message, size_t len)
{
	struct etcd_watch *w = context;
	int err;

	w->heard = now_ns();
	w->asked = false;
	err = watch_ranges_take(&w->ranges, message, len);
	if (err)
		return err;
	w->restarts = 0;
	take_back(w, w->ranges.stray);
	w->ranges.stray = 0;
	if (w->heard - w->begun > SILENT_MS * MS_NS)
		w->tries = 0;
	if (w->down) {
		w->down = false;
		w->ranges.reported = true;
		w->ranges.watcher->state(w->ranges.watcher->context, 0);
	}
	return 0;
}

/* failure() says why. Tries the next member, after a growing pause. */
static void broken(struct etcd_watch *w, int failed)
{
	const struct etcd_watcher *watcher = w->ranges.watcher;
	unsigned int ms = AGAIN_MS << (w->tries < 9 ? w->tries : 9);

	hang_up(w);
	w->tries++;
	w->at = (w->at + 1) % w->e->n;
	w->due = now_ns() + etcd_jitter(ms < AGAIN_MOST_MS ? ms : AGAIN_MOST_MS) * MS_NS;
	w->down = true;
	w->ranges.reported = true;
	watcher->state(watcher->context, failed);
}

/*
 * Connects to the same member again at once, without telling the watcher, because nothing is wrong
 * with the member. The second time in a row it counts as broken: WHY, with failure() set.
 */
static void restart(struct etcd_watch *w, int why)
{
	if (w->restarts++) {
		broken(w, why);
		return;
	}
	hang_up(w);
	w->due = 0;
}

static int connect_to(struct etcd_watch *w)
{
	const struct curl *c = &w->e->curl;
	bool elsewhere;
	int err = w->e->token ? 0 : etcd_authenticate(w->e, w->member, SIGN_IN_MS, &elsewhere);

	w->open = true;
	w->http = (struct http){.each = take_message, .context = w};
	err = err ?: http_begin(w->e, w->easy, &w->http, w->member, "Watch/Watch");
	/* Without this a member that is cut off from the others would be silent. */
	err = err ?: http_header(w->e, &w->http, "hasleader", "true");
	c->easy_setopt(w->easy, CURLOPT_READFUNCTION, fetch);
	c->easy_setopt(w->easy, CURLOPT_READDATA, w);
	c->easy_setopt(w->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	/* No old connection, which may be dead. */
	c->easy_setopt(w->easy, CURLOPT_FRESH_CONNECT, 1L);
	c->easy_setopt(w->easy, CURLOPT_FORBID_REUSE, 1L);
	if (!err && c->multi_add_handle(w->multi, w->easy))
		err = fail_memory();
	return err;
}

static void begin(struct etcd_watch *w)
{
	size_t i;
	int err;

	memcpy(w->member, w->e->member[w->at], sizeof(w->member));
	err = connect_to(w);
	for (i = 0; !err && i < w->ranges.n; i++)
		err = ask_range(w, &w->ranges.at[i]);
	w->begun = w->heard = now_ns();
	w->tokens = w->e->tokens;
	if (err)
		broken(w, err);
}

/* Called after all messages were taken, so that our own slowness does not count as silence. */
static void silent(struct etcd_watch *w)
{
	const __u64 now = now_ns();

	if (w->asked && now - w->asked_at >= SILENT_MS * MS_NS)
		broken(w, fail(ETIMEDOUT, "etcd at %s is silent", quoted(w->member)));
	else if (!w->asked && now - w->heard >= SILENT_MS * MS_NS && ask_life(w))
		broken(w, -ENOMEM);
}

/* Reads a key, which needs a majority of members, so the answer shows the store itself. */
static void check_store(struct etcd_watch *w)
{
	const struct etcd_range key = {w->ranges.at[0].key};
	__s64 revision = 0;
	int err = etcd_read(w->e, &key, &revision, NULL, NULL);

	if (err) {
		broken(w, err);
	} else if (!watch_ranges_is_same_store(&w->ranges, etcd_seen(w->e))) {
		watch_ranges_lose_all(&w->ranges);
		restart(w, fail(ESTALE, "etcd has an older store than before"));
	}
}

/* The request has ended, which only happens if something is wrong. */
static void ended(struct etcd_watch *w, CURLcode code)
{
	const int mine = w->http.err;
	const bool token = mine == -EKEYEXPIRED || answer_wants_token(&w->http.answer);
	int err = http_result(w->e, &w->http, code, w->member);

	err = err ?: fail(EHOSTUNREACH, "etcd at %s closed the connection", quoted(w->member));
	if (token && w->tokens == w->e->tokens) /* a call may have got a new one */
		etcd_forget_token(w->e);
	if (mine == -ESTALE || (token && w->e->user))
		restart(w, err);
	else
		broken(w, err);
}

static void transfer(struct etcd_watch *w)
{
	const struct curl *c = &w->e->curl;
	struct CURLMsg *done;
	int running, left;

	if (w->paused && w->sent < w->used) {
		w->paused = false;
		c->easy_pause(w->easy, CURLPAUSE_CONT);
	}
	c->multi_perform(w->multi, &running);
	done = c->multi_info_read(w->multi, &left);
	if (done && done->msg == CURLMSG_DONE)
		ended(w, done->data.result);
}

static void turn(struct etcd_watch *w)
{
	if (w->open && !w->ranges.n)
		hang_up(w);
	if (!w->open && etcd_files_changed(w->e)) /* the next try may succeed */
		w->due = w->tries = 0;
	if (!w->open && w->ranges.n && now_ns() >= w->due)
		begin(w);
	if (w->open)
		transfer(w);
	if (w->open && w->ranges.n && w->ranges.suspect)
		check_store(w);
	if (w->open && w->ranges.n)
		silent(w);
}

/* Milliseconds until there is something to do, at most until END. */
static int idle_ms(const struct etcd_watch *w, __u64 end)
{
	const __u64 now = now_ns(), patience = SILENT_MS * MS_NS;
	__u64 until = end, next = end;

	if (w->open && w->paused && w->sent < w->used)
		return 0;
	if (w->ranges.n)
		next = !w->open ? w->due : (w->asked ? w->asked_at : w->heard) + patience;
	if (next < until)
		until = next;
	return until > now ? (int)((until - now + MS_NS - 1) / MS_NS) : 0;
}

static short curl_events(short events)
{
	return (short)((events & POLLIN ? CURL_WAIT_POLLIN : 0) |
		       (events & POLLOUT ? CURL_WAIT_POLLOUT : 0));
}

/* True: one of FDS is ready. */
static bool wait_for(struct etcd_watch *w, struct pollfd *fds, unsigned int n, int ms)
{
	struct curl_waitfd more[FDS];
	unsigned int i;
	bool ready = false;

	for (i = 0; i < n; i++)
		more[i] = (struct curl_waitfd){fds[i].fd, curl_events(fds[i].events), 0};
	w->e->curl.multi_poll(w->multi, more, n, ms, NULL);
	for (i = 0; i < n; i++) {
		fds[i].revents = (short)((more[i].revents & CURL_WAIT_POLLIN ? POLLIN : 0) |
					 (more[i].revents & CURL_WAIT_POLLOUT ? POLLOUT : 0));
		ready |= fds[i].revents;
	}
	return ready;
}

void etcd_watch_run(struct etcd_watch *w, struct pollfd *fds, unsigned int n, int ms)
{
	const __u64 end = now_ns() + (__u64)ms * MS_NS;
	bool ready;

	if (n > FDS)
		n = FDS;
	w->ranges.reported = false;
	do {
		turn(w);
		/* Looks at FDS also while events keep coming. */
		ready = wait_for(w, fds, n, w->ranges.reported ? 0 : idle_ms(w, end));
	} while (!ready && !w->ranges.reported && now_ns() < end);
}
