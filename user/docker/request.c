// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "docker/request.h"

#define TOKEN "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static int wait_for(int fd, short events, __u64 end)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct pollfd p = {fd, events, 0};

	return poll(&p, 1, now < end ? (int)((end - now + MS_NS - 1) / MS_NS) : 0) == 1;
}

/* ---- the answer ------------------------------------------------------------------- */

static int write_all(int fd, const char *text, size_t n, __u64 end)
{
	ssize_t did;

	for (; n; text += did, n -= (size_t)did) {
		if (!wait_for(fd, POLLOUT, end))
			return -ETIMEDOUT;
		did = write(fd, text, n);
		if (did < 0)
			return -errno;
	}
	return 0;
}

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 404:
		return "Not Found";
	case 500:
		return "Internal Server Error";
	}
	return "Bad Request";
}

int request_answer(int fd, __u32 ms, int status, const char *body)
{
	char cleanup_free *text = NULL;
	int n = asprintf(&text,
			 "HTTP/1.1 %d %s\r\n"
			 "Content-Type: application/vnd.docker.plugins.v1.2+json\r\n"
			 "Content-Length: %zu\r\n"
			 "Connection: close\r\n\r\n%s",
			 status, reason(status), strlen(body), body);

	return n < 0 ? -ENOMEM
		     : write_all(fd, text, (size_t)n, clock_ns(CLOCK_MONOTONIC) + ms * MS_NS);
}

/* ---- the head --------------------------------------------------------------------- */

/* Reads more of the request, up to MOST octets in all. */
static int fill(int fd, struct request *r, size_t most, __u64 end)
{
	ssize_t got;

	if (!wait_for(fd, POLLIN, end))
		return fail(ETIMEDOUT, "the request did not come in time"), 408;
	got = read(fd, r->text + r->n, most - r->n);
	if (got < 0)
		return fail(errno, "cannot read the request: %s", strerror(errno)), 400;
	if (!got && !r->n)
		return -ENODATA;
	if (!got)
		return misuse("the request ends early"), 400;
	r->n += (size_t)got;
	return 0;
}

/* Refuses control characters but tabs, also a CR or LF alone. */
static bool is_line(const char *line)
{
	while ((unsigned char)*line >= ' ' || *line == '\t')
		line++;
	return !*line;
}

static int read_first(struct request *r, char *line)
{
	char *path = line + strlen("POST "), *end;

	if (strncmp(line, "POST ", strlen("POST ")))
		return misuse("%s is not a POST", quoted(line)), 405;
	end = path + strcspn(path, " ");
	if (strcmp(end, " HTTP/1.1"))
		return misuse("%s is not HTTP/1.1", quoted(line)), 505;
	*end = '\0';
	if (*path != '/' || path[1 + strspn(path + 1, TOKEN)])
		return misuse("%s is not a call", quoted(path)), 404;
	r->path = path + 1;
	return 0;
}

static int read_length(struct request *r, const char *value, bool *known)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*known || *value < '0' || *value > '9' || *end)
		return misuse("Content-Length: %s is not a length, or a second one", quoted(value)),
		       400;
	*known = true;
	r->length = n;
	return n <= REQUEST_BODY
		       ? 0
		       : (misuse("Content-Length: %s is more than %d", quoted(value), REQUEST_BODY),
			  413);
}

static int read_field(struct request *r, char *line, bool *known)
{
	char *value = line + strspn(line, TOKEN), *end;

	if (value == line || *value != ':')
		return misuse("%s is not a header", quoted(line)), 400;
	*value++ = '\0';
	value += strspn(value, " \t");
	for (end = value + strlen(value); end > value && strchr(" \t", end[-1]); end--)
		end[-1] = '\0';
	if (!strcasecmp(line, "Content-Length"))
		return read_length(r, value, known);
	if (!strcasecmp(line, "Transfer-Encoding"))
		return misuse("Transfer-Encoding: %s: give a Content-Length", quoted(value)), 501;
	if (!strcasecmp(line, "Expect"))
		return misuse("Expect: %s is not supported", quoted(value)), 417;
	return 0;
}

/* Reads the head up to the empty line, which ends at END. */
static int read_head(struct request *r, char *end)
{
	bool known = false;
	char *line, *next;
	int status = 0;

	for (line = r->text; !status && line < end - 2; line = next) {
		next = strstr(line, "\r\n");
		if (!next)
			return misuse("the request has a NUL"), 400;
		*next = '\0';
		next += 2;
		if (!is_line(line))
			return misuse("%s has a control character", quoted(line)), 400;
		status = line == r->text ? read_first(r, line) : read_field(r, line, &known);
	}
	return status;
}

/* ---- all of it -------------------------------------------------------------------- */

int request_read(int fd, __u32 ms, struct request *r)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	char *behind = NULL;
	int status = 0;
	size_t all;

	*r = (struct request){.text = calloc(1, REQUEST_HEAD + REQUEST_BODY + 1)};
	if (!r->text)
		return fail_memory(), 500;
	while (!status && !behind) {
		if (r->n == REQUEST_HEAD)
			return misuse("the request's head has over %d octets", REQUEST_HEAD), 431;
		status = fill(fd, r, REQUEST_HEAD, end);
		behind = memmem(r->text, r->n, "\r\n\r\n", 4);
	}
	if (status)
		return status;
	r->body = behind + 4;
	status = read_head(r, behind + 4);
	if (status)
		return status;
	all = (size_t)(r->body - r->text) + r->length;
	if (r->n > all)
		return misuse("the request is longer than its Content-Length: %zu", r->length), 400;
	while (!status && r->n < all)
		status = fill(fd, r, all, end);
	return status == -ENODATA ? 400 : status;
}
