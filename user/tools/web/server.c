// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "tools/web/guard.h"
#include "tools/web/part.h"
#include "tools/web/server.h"
#include "tools/web/view.h"
#include "web.h"

/*
 * One connection is for one visitor. Where most places are taken, the oldest visitor without a
 * token leaves: who has one gives it at once. So nobody can hold all places.
 */
enum {
	VISITORS = 64,
	VISITORS_CALM = 48,
	HEAD_OCTETS = 16384, /* of a request, and of an answer's */
	REQUEST_MS = 20000,  /* for a request and its answer */
};

#define API "/api/"
#define JSON "application/json"

static struct visitor {
	bool there, proven, ended;
	bool waits;  /* for a command */
	bool waited; /* takes the answer, however old */
	int fd;
	__u64 since; /* it connected, got the last answer, or has waited for a command */
} visitors[VISITORS];

static const char *token;

static const struct file {
	const char *path, *type, *text;
} files[] = {
	{"/", "text/html; charset=utf-8", page_html},
	{"/page.css", "text/css; charset=utf-8", page_css},
	{"/page.js", "text/javascript; charset=utf-8", page_js},
};

static const struct {
	const char *name, *value;
} headers[] = {
	{"Content-Security-Policy",
	 "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
	 "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cache-Control", "no-store"},
};

/* ---- answers ---------------------------------------------------------------------- */

struct text {
	const char *type;
	const char *at;
	enum MHD_ResponseMemoryMode mode;
};

static enum MHD_Result send_text(struct MHD_Connection *c, unsigned int status, struct text text)
{
	struct MHD_Response *r =
		mhd.create_response_from_buffer(strlen(text.at), (void *)text.at, text.mode);
	enum MHD_Result sent;
	size_t i;

	if (!r)
		return MHD_NO;
	mhd.add_response_header(r, "Content-Type", text.type);
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		mhd.add_response_header(r, headers[i].name, headers[i].value);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.add_response_header(r, "Allow", "GET");
	/* The rest of a refused request is not read. */
	if (status != MHD_HTTP_OK)
		mhd.add_response_header(r, "Connection", "close");
	sent = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return sent;
}

static enum MHD_Result send_json(struct MHD_Connection *c, unsigned int status, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);

	return text ? send_text(c, status, (struct text){JSON, text, MHD_RESPMEM_MUST_FREE})
		    : MHD_NO;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *why)
{
	json_t *json = json_pack("{s:s}", "error", why);
	const enum MHD_Result sent = send_json(c, status, json);

	json_decref(json);
	return sent;
}

static const char *word(struct MHD_Connection *c, const char *key)
{
	const char *text = mhd.lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, key);

	return text && *text ? text : NULL;
}

static enum MHD_Result answer(struct MHD_Connection *c, const struct answer *a)
{
	const char *from = word(c, "from");
	json_t *json = NULL;
	__u32 first = 0;
	enum MHD_Result sent;

	if (from && parse_number(from, 0, UINT32_MAX, &first))
		return refuse(c, MHD_HTTP_BAD_REQUEST, failure()->text);
	if (a == part_at(PART_ENDPOINTS) && a->status == MHD_HTTP_OK)
		json = view_endpoints(a->json, word(c, "tenant"), word(c, "text"), first);
	else if (a == part_at(PART_DROPS) && a->status == MHD_HTTP_OK)
		json = view_drops();
	sent = send_json(c, (unsigned int)a->status, json ?: a->json);
	json_decref(json);
	return sent;
}

static enum MHD_Result serve_part(struct MHD_Connection *c, struct visitor *v, const char *name)
{
	struct answer *a = part_find(name);

	if (!a)
		return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such part");
	if ((v->waited && a->status) || part_fresh(a)) {
		v->waited = false;
		return answer(c, a);
	}
	if (!part_wait(a, c))
		return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests");
	v->waits = v->waited = true;
	return MHD_YES;
}

/* ---- who may ask ------------------------------------------------------------------ */

static const char *header(struct MHD_Connection *c, const char *name)
{
	return mhd.lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Returns the status of a request that is refused, and why; or 0. */
static unsigned int check(struct MHD_Connection *c, const struct visitor *v, const char *method,
			  const char **why)
{
	const char *host = header(c, "Host");

	if (strcmp(method, "GET")) {
		*why = "only GET: the page changes nothing";
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	}
	if (header(c, "Content-Length") || header(c, "Transfer-Encoding")) {
		*why = "a request has no body";
		return MHD_HTTP_BAD_REQUEST;
	}
	if (!host_is_own(host) || !origin_is_own(header(c, "Origin"), host)) {
		*why = "only by the name localhost, 127.0.0.1 or [::1], from the page itself";
		return MHD_HTTP_FORBIDDEN;
	}
	if (!token && !peer_is_own(v->fd)) {
		*why = "only root";
		return MHD_HTTP_FORBIDDEN;
	}
	return 0;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *c, const char *path,
			     const char *method, const char *version, const char *body,
			     size_t *n_body, void **request)
{
	const union MHD_ConnectionInfo *is =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct visitor *v = is ? is->socket_context : NULL;
	const char *why;
	unsigned int status;
	size_t i;

	(void)context, (void)version, (void)body, (void)n_body;
	if (!v)
		return MHD_NO;
	if (v->waits)
		v->since = clock_ns(CLOCK_MONOTONIC);
	v->waits = false;
	status = check(c, v, method, &why);
	if (status)
		return refuse(c, status, why);
	/* An answer to the first call, when the head is there, would close the connection. */
	if (!*request) {
		*request = v;
		return MHD_YES;
	}
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(path, files[i].path))
			return send_text(c, MHD_HTTP_OK,
					 (struct text){files[i].type, files[i].text,
						       MHD_RESPMEM_PERSISTENT});
	if (strncmp(path, API, strlen(API)))
		return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page");
	if (token && !token_is_given(header(c, "Authorization"), token))
		return refuse(c, MHD_HTTP_UNAUTHORIZED,
			      "the token is missing or wrong: open the URL that tsw web printed");
	v->proven = true;
	return serve_part(c, v, path + strlen(API));
}

/* ---- connections ------------------------------------------------------------------ */

/* libmicrohttpd notices the end, and closes the connection. */
static void end(struct visitor *v)
{
	v->ended = true;
	shutdown(v->fd, SHUT_RDWR);
}

static void end_oldest(void)
{
	struct visitor *oldest = NULL, *v;
	size_t n = 0;

	for (v = visitors; v < visitors + VISITORS; v++) {
		n += v->there && !v->ended;
		if (v->there && !v->ended && !v->proven && (!oldest || v->since < oldest->since))
			oldest = v;
	}
	if (n > VISITORS_CALM && oldest)
		end(oldest);
}

static void come_or_go(void *context, struct MHD_Connection *c, void **place,
		       enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *is;
	struct visitor *v = *place;

	(void)context;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (v)
			v->there = false;
		return;
	}
	is = mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (v = visitors; v < visitors + VISITORS && v->there; v++)
		;
	if (!is || v == visitors + VISITORS)
		return; /* it is not answered */
	*v = (struct visitor){
		.there = true, .fd = is->connect_fd, .since = clock_ns(CLOCK_MONOTONIC)};
	*place = v;
	end_oldest();
}

static void completed(void *context, struct MHD_Connection *c, void **request,
		      enum MHD_RequestTerminationCode code)
{
	const union MHD_ConnectionInfo *is =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct visitor *v = is ? is->socket_context : NULL;

	(void)context, (void)request, (void)code;
	if (v) {
		v->since = clock_ns(CLOCK_MONOTONIC);
		v->waits = v->waited = false;
	}
}

void server_tick(void)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct visitor *v;

	for (v = visitors; v < visitors + VISITORS; v++)
		if (v->there && !v->ended && !v->waits && now - v->since > REQUEST_MS * MS_NS)
			end(v);
}

int server_start(const struct listener *l, const char *needed, struct MHD_Daemon **daemon)
{
	token = needed;
	*daemon = mhd.start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, serve,
				   NULL, MHD_OPTION_LISTEN_SOCKET, l->fd,
				   MHD_OPTION_CONNECTION_LIMIT, (unsigned int)VISITORS,
				   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_OCTETS,
				   MHD_OPTION_NOTIFY_CONNECTION, come_or_go, NULL,
				   MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
	return *daemon ? 0 : fail(ENOMEM, "libmicrohttpd cannot start");
}
