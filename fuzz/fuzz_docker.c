// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever a client sends tsw-docker in place of Docker's daemon. What is taken is within what was
 * sent, and no more of it was read; what is refused has a message and a status.
 *
 * Input: how many octets each read brings at most, 0 being all; then what is sent.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/err.h"
#include "docker/request.h"
#include "fuzz.h"

enum { CONNECTION = 1 << 20 }; /* a descriptor that nobody has */

static struct {
	const uint8_t *at;
	size_t n, most;
} sent;

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n)
{
	if (fd != CONNECTION)
		return __real_read(fd, to, n);
	MUST(n);
	n = n < sent.most ? n : sent.most;
	n = n < sent.n ? n : sent.n;
	memcpy(to, sent.at, n);
	sent.at += n;
	sent.n -= n;
	return (ssize_t)n;
}

int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	return n == 1 && fds->fd == CONNECTION ? 1 : __real_poll(fds, n, ms);
}

static void must_be_whole_request(const struct request *r, const uint8_t *data)
{
	const size_t head = (size_t)(r->body - r->text);

	MUST(head >= 4 && head <= REQUEST_HEAD && r->length <= REQUEST_BODY);
	MUST(r->n == head + r->length);
	MUST(!memcmp(r->body, data + head, r->length));
	MUST(r->path > r->text && r->path + strlen(r->path) < r->body);
	MUST(!strchr(r->path, '/') && is_printable(r->path, strlen(r->path)));
	json_decref(json_loadb(r->body, r->length, JSON_REJECT_DUPLICATES, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request r;
	int status;

	if (!size)
		return 0;
	sent.at = data + 1;
	sent.n = size - 1;
	sent.most = data[0] ?: size;
	status = request_read(CONNECTION, 1000, &r);
	if (!status)
		must_be_whole_request(&r, data + 1);
	else if (status == -ENODATA)
		MUST(size == 1);
	else
		MUST(status >= 400 && status < 600 && *failure()->text);
	free(r.text);
	return 0;
}
