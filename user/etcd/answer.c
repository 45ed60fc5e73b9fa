// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/answer.h"

void answer_begin(struct answer *a)
{
	*a = (struct answer){.status = GRPC_NONE};
}

/* Returns the value of header NAME without blanks around it. NULL: another header. */
static const char *value_of(const char *name, const char *line, size_t *len)
{
	const size_t n = strlen(name);

	if (*len <= n || strncasecmp(line, name, n) || line[n] != ':')
		return NULL;
	line += n + 1;
	*len -= n + 1;
	while (*len && isspace((unsigned char)*line))
		line++, --*len;
	while (*len && isspace((unsigned char)line[*len - 1]))
		--*len;
	return line;
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Decodes %XX. A % without two digits stays. */
static void decode(char *to, size_t room, const char *text, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len && n < room - 1; i++) {
		if (text[i] == '%' && len - i > 2 && isxdigit((unsigned char)text[i + 1]) &&
		    isxdigit((unsigned char)text[i + 2])) {
			to[n++] = (char)(digit(text[i + 1]) << 4 | digit(text[i + 2]));
			i += 2;
		} else {
			to[n++] = text[i];
		}
	}
	to[n] = '\0';
}

/* Reads the number at the beginning of TEXT. */
static int number(const char *text, size_t len)
{
	int value = 0;
	size_t i;

	for (i = 0; i < len && i < 4 && isdigit((unsigned char)text[i]); i++)
		value = value * 10 + text[i] - '0';
	return i ? value : GRPC_NONE;
}

void answer_line(struct answer *a, const char *line, size_t len)
{
	static const char http[] = "HTTP/", grpc[] = "application/grpc";
	const char *value, *space;
	size_t n;

	if (len > strlen(http) && !strncmp(line, http, strlen(http))) {
		space = memchr(line, ' ', len);
		a->http = space ? number(space + 1, len - (size_t)(space + 1 - line)) : 0;
		return;
	}
	n = len;
	value = value_of("content-type", line, &n);
	if (value)
		a->grpc = n >= strlen(grpc) && !strncasecmp(value, grpc, strlen(grpc));
	n = len;
	value = value_of("grpc-status", line, &n);
	if (value)
		a->status = number(value, n);
	n = len;
	value = value_of("grpc-message", line, &n);
	if (value)
		decode(a->text, sizeof(a->text), value, n);
}

bool answer_wants_token(const struct answer *a)
{
	/* The second means that users or roles have changed since. */
	return a->status == GRPC_UNAUTHENTICATED ||
	       (a->status == GRPC_INVALID_ARGUMENT &&
		strstr(a->text, "revision of auth store is old"));
}

bool answer_has_no_users(const struct answer *a)
{
	return a->status == GRPC_PRECONDITION && strstr(a->text, "authentication is not enabled");
}

static bool answer_is_odd(const struct answer *a)
{
	return a->http != 200 || (!a->grpc && a->status == GRPC_NONE);
}

bool answer_is_elsewhere(const struct answer *a)
{
	return a->status == GRPC_UNAVAILABLE || a->status == GRPC_DEADLINE || answer_is_odd(a);
}

static int error_of(int status)
{
	switch (status) {
	case GRPC_INVALID_ARGUMENT:
	case GRPC_PRECONDITION:
		return EINVAL;
	case GRPC_NOT_FOUND:
		return ENOENT;
	case GRPC_PERMISSION:
	case GRPC_UNAUTHENTICATED:
		return EACCES;
	case GRPC_EXHAUSTED:
		return ENOSPC;
	case GRPC_OUT_OF_RANGE:
		return ESTALE;
	case GRPC_DEADLINE:
	case GRPC_UNAVAILABLE:
		return EHOSTUNREACH;
	}
	return EIO;
}

int answer_fail(const struct answer *a, const char *member)
{
	if (answer_is_odd(a))
		return fail(EPROTO, "%s does not answer like etcd (HTTP status %d)", quoted(member),
			    a->http);
	if (a->status == GRPC_OK)
		return 0;
	if (a->status == GRPC_NONE)
		return fail(EPROTO, "%s ended its answer early", quoted(member));
	return fail(error_of(a->status), "etcd at %s: %s", quoted(member),
		    *a->text ? quoted(a->text) : "no reason given");
}
