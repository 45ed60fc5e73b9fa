// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/call.h"

/* TCP's keepalive notices on an idle connection that a member has vanished. */
enum { KEEPALIVE_AFTER = 10, KEEPALIVE_EVERY = 5, UNHEARD_MS = 20000 }; /* the first two: seconds */

/*
 * libcurl 7.88, as in Debian 12, cannot use a connection without TLS a second time (curl#10634,
 * fixed in 8.0.0). There each call has a connection of its own. With TLS it works.
 */
static bool uses_once(const struct curl *c)
{
	const unsigned int version = c->version_info(CURLVERSION_NOW)->version_num;

	return version >= 0x075800 && version < 0x080000;
}

static size_t take_header(char *line, size_t size, size_t n, void *context)
{
	struct http *h = context;

	answer_line(&h->answer, line, size * n);
	return size * n;
}

static size_t take_content(char *octets, size_t size, size_t n, void *context)
{
	struct http *h = context;

	/* Ignores an error page. */
	if (!h->answer.grpc)
		return size * n;
	h->err = frames_take(&h->in, octets, size * n, h->each, h->context);
	return h->err ? 0 : size * n;
}

int http_header(struct etcd *e, struct http *h, const char *name, const char *value)
{
	struct curl_slist *more;
	char line[2048];

	if (snprintf(line, sizeof(line), "%s:%s%s", name, *value ? " " : "", value) >=
	    (int)sizeof(line))
		return fail(EMSGSIZE, "etcd's %s is too long", name);
	more = e->curl.slist_append(h->headers, line);
	if (!more)
		return fail_memory();
	h->headers = more;
	return 0;
}

/*
 * For each new connection, so libcurl reads the files next. Keepalive does not work while data
 * waits for an acknowledgement: TCP_USER_TIMEOUT does.
 */
static int take_socket(void *context, curl_socket_t fd, curlsocktype type)
{
	const unsigned int ms = UNHEARD_MS;
	struct http *h = context;

	(void)type;
	if (etcd_check_files(h->e)) {
		h->files = *failure();
		return CURL_SOCKOPT_ERROR;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return CURL_SOCKOPT_OK;
}

static void set_tls(struct etcd *e, CURL *easy)
{
	const struct curl *c = &e->curl;

	c->easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* libcurl would keep the CA's file for a day, and sessions of an old certificate. */
	c->easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
	c->easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	if (e->ca) {
		c->easy_setopt(easy, CURLOPT_CAINFO, e->ca);
		c->easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (e->cert) {
		c->easy_setopt(easy, CURLOPT_SSLCERT, e->cert);
		c->easy_setopt(easy, CURLOPT_SSLKEY, e->key);
		c->easy_setopt(easy, CURLOPT_KEYPASSWD,
			       ""); /* or libcurl would ask on the terminal */
	}
}

static void set_options(struct etcd *e, CURL *easy, struct http *h, const char *url)
{
	const struct curl *c = &e->curl;
	const bool tls = !strncmp(url, "https:", 6);

	c->easy_setopt(easy, CURLOPT_URL, url);
	c->easy_setopt(easy, CURLOPT_HTTP_VERSION,
		       (long)(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
	c->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	c->easy_setopt(easy, CURLOPT_PROXY, ""); /* ignores the environment */
	c->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	c->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* does not wait for a resolver */
	c->easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, take_socket);
	c->easy_setopt(easy, CURLOPT_SOCKOPTDATA, h);
	c->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	c->easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_AFTER);
	c->easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_EVERY);
	c->easy_setopt(easy, CURLOPT_POST, 1L);
	c->easy_setopt(easy, CURLOPT_HTTPHEADER, h->headers);
	c->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	c->easy_setopt(easy, CURLOPT_HEADERDATA, h);
	c->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_content);
	c->easy_setopt(easy, CURLOPT_WRITEDATA, h);
	c->easy_setopt(easy, CURLOPT_ERRORBUFFER, h->why);
	c->easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)(!tls && uses_once(c)));
	if (tls)
		set_tls(e, easy);
}

int http_begin(struct etcd *e, CURL *easy, struct http *h, const char *member, const char *path)
{
	char url[512];
	int err;

	h->e = e;
	snprintf(url, sizeof(url), "%s/etcdserverpb.%s", member, path);
	answer_begin(&h->answer);
	err = http_header(e, h, "content-type", "application/grpc");
	err = err ?: http_header(e, h, "te", "trailers");
	err = err ?: http_header(e, h, "Expect", ""); /* otherwise libcurl waits for a 100 */
	if (!err && e->token)
		err = http_header(e, h, "token", e->token);
	if (!err)
		set_options(e, easy, h, url);
	return err;
}

void http_end(struct etcd *e, CURL *easy, struct http *h)
{
	e->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	e->curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
	e->curl.slist_free_all(h->headers);
	frames_free(&h->in);
	*h = (struct http){};
}

static int unreached(struct etcd *e, const struct http *h, CURLcode code, const char *member)
{
	const char *why = *h->why ? h->why : e->curl.easy_strerror(code);
	const char *after = strstr(why, " after "); /* cut, as the time differs each time */
	int err = fail(EHOSTUNREACH, "cannot reach etcd at %s: %.*s", quoted(member),
		       after ? (int)(after - why) : (int)strlen(why), why);

	/* For an expired certificate etcd only says `bad certificate`. */
	if (strstr(why, "alert") && strstr(why, "certificate"))
		fail_more(e->cert ? ": it refuses our certificate, which may have expired or be "
				    "unknown to it"
				  : ": it requires a certificate");
	return err;
}

bool http_is_ours(const struct http *h, CURLcode code)
{
	return h->files.code || code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_OUT_OF_MEMORY || code == CURLE_UNSUPPORTED_PROTOCOL;
}

int http_result(struct etcd *e, const struct http *h, CURLcode code, const char *member)
{
	if (h->files.code)
		return fail_again(&h->files);
	if (h->err == -EPROTO)
		return fail(EPROTO, "%s does not answer like etcd", quoted(member));
	if (h->err == -EMSGSIZE)
		return fail(EMSGSIZE, "%s sent a message of more than %d octets", quoted(member),
			    FRAME_MOST);
	if (h->err)
		return fail(h->err, "%s: %s", quoted(member), strerror(-h->err));
	if (code != CURLE_OK)
		return unreached(e, h, code, member);
	return answer_fail(&h->answer, member);
}
