// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "etcd/call.h"

enum { PORT = 2379, TIMEOUT_MS = 5000 };

static const char *host_of(const char *url)
{
	if (!strncmp(url, "http://", 7))
		return url + 7;
	if (!strncmp(url, "https://", 8))
		return url + 8;
	return NULL;
}

/* Length of a name or an address; IPv6 has brackets (RFC 3986 section 3.2.2). */
static size_t host_len(const char *host)
{
	size_t n = 0;

	if (*host == '[') {
		n = strspn(host + 1, "0123456789abcdefABCDEF:.");
		return n && host[n + 1] == ']' ? n + 2 : 0;
	}
	while (isalnum((unsigned char)host[n]) || (host[n] && strchr("-._", host[n])))
		n++;
	return n;
}

static int read_url(const char *url, char member[280])
{
	const char *host = host_of(url), *end;
	size_t len = host ? host_len(host) : 0;
	__u32 port = PORT;

	if (!len || len > 255)
		return misuse("%s is not a URL of etcd, such as https://etcd1:2379", quoted(url));
	end = host + len;
	if (*end == ':') {
		const size_t digits = strspn(end + 1, "0123456789");
		char text[64];

		snprintf(text, sizeof(text), "%.*s", (int)digits, end + 1);
		if (parse_number(text, 1, 65535, &port)) {
			fail_more(" (in %s)", quoted(url));
			return -EINVAL;
		}
		end += 1 + digits;
	}
	if (strcmp(end, "") && strcmp(end, "/"))
		return misuse("%s is not a URL of etcd: nothing may follow the port", quoted(url));
	snprintf(member, 280, "%.*s:%u", (int)(host + len - url), url, port);
	return 0;
}

static int read_urls(struct etcd *e, const char *urls)
{
	char copy[ETCD_MEMBERS * 300], *rest = copy, *url;
	int err = 0;

	if (!urls || !*urls)
		return misuse("etcd needs a URL, such as https://etcd1:2379");
	if (strlen(urls) >= sizeof(copy))
		return misuse("%s is too long for URLs of etcd", quoted(urls));
	snprintf(copy, sizeof(copy), "%s", urls);
	while (!err && (url = strsep(&rest, ","))) {
		if (e->n == ETCD_MEMBERS)
			return misuse("%s has more than %d URLs", quoted(urls), ETCD_MEMBERS);
		err = read_url(url, e->member[e->n++]);
		/* Otherwise a password would go in the clear when a member fails. */
		if (!err && (e->member[0][4] == 's') != (url[4] == 's'))
			return misuse("%s has both http and https", quoted(urls));
	}
	return err;
}

static int copy(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? fail_memory() : 0;
}

void etcd_renew(struct etcd *e, unsigned int timeout_ms)
{
	e->timeout_ms = timeout_ms;
	e->end = clock_ns(CLOCK_MONOTONIC) + timeout_ms * MS_NS;
}

int etcd_configure(struct etcd *e, const struct etcd_config *config)
{
	int err = read_urls(e, config->urls);

	if (!err && !config->cert != !config->key)
		err = misuse("a certificate and its key go together");
	if (!err && !config->user != !config->password_file)
		err = misuse("a user and a password go together");
	e->stop = -1;
	e->cluster = config->cluster;
	e->timeout_ms = config->timeout_ms ? config->timeout_ms : TIMEOUT_MS;
	if (config->together)
		etcd_renew(e, e->timeout_ms);
	err = err ?: copy(&e->ca, config->ca);
	err = err ?: copy(&e->cert, config->cert);
	err = err ?: copy(&e->key, config->key);
	err = err ?: copy(&e->user, config->user);
	return err ?: copy(&e->password_file, config->password_file);
}
