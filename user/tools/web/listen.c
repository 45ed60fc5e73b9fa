// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/sockets.h"
#include "tools/web/listen.h"

enum { BACKLOG = 128 };

/* Closes it after an error, of which errno is the cause. */
static int listen_on(struct listener *l, const struct sockaddr *to, socklen_t len, const char *name)
{
	const int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	const mode_t mask = umask(0177);
	const int on = 1;
	int err = 0;

	l->fd = socket(to->sa_family, flags, 0);
	if (l->fd < 0)
		err = errno;
	else if (to->sa_family != AF_UNIX)
		setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!err && (bind(l->fd, to, len) || listen(l->fd, BACKLOG)))
		err = errno;
	umask(mask);
	if (err && l->fd >= 0)
		close(l->fd);
	return err ? fail(err, "cannot listen on %s: %s", name, strerror(err)) : 0;
}

int listen_tcp(const struct tsw_addr *addr, __u32 port, struct listener *l)
{
	struct sockaddr_storage to;
	const socklen_t len = socket_address(addr_family(addr), addr, htons((__u16)port), &to);

	l->path = NULL;
	return listen_on(l, (struct sockaddr *)&to, len, target_text(addr, port));
}

int listen_unix(const char *path, struct listener *l)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct stat st;
	int err;

	if (!*path ||
	    (size_t)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path) >= sizeof(to.sun_path))
		return misuse("the path of a socket has 1 to %zu octets: %s",
			      sizeof(to.sun_path) - 1, quoted(path));
	if (!lstat(path, &st))
		return fail(EEXIST, "%s exists already: %s", quoted(path),
			    S_ISSOCK(st.st_mode) ? "if no other tsw web uses it, remove it"
						 : "name another file");
	l->path = path;
	err = listen_on(l, (struct sockaddr *)&to, sizeof(to), quoted(path));
	if (!err && !lstat(path, &st)) {
		l->dev = st.st_dev;
		l->ino = st.st_ino;
	}
	return err;
}

void listen_end(const struct listener *l)
{
	struct stat st;

	if (l->path && !lstat(l->path, &st) && st.st_dev == l->dev && st.st_ino == l->ino)
		unlink(l->path);
}
