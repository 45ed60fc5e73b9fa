// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "base/clock.h"
#include "base/err.h"
#include "kernel/link.h"
#include "state/devices.h"

static int compare(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return strcmp(x->name, y->name);
}

struct filling {
	struct devices *d;
	size_t room;
};

static int add(const struct link *link, void *data)
{
	struct filling *f = data;
	struct device *grown;

	if (f->d->n == f->room) {
		f->room = f->room ? f->room * 2 : 64;
		grown = reallocarray(f->d->all, f->room, sizeof(*grown));
		if (!grown)
			return fail_memory();
		f->d->all = grown;
	}
	grown = &f->d->all[f->d->n++];
	memcpy(grown->name, link->name, sizeof(grown->name));
	grown->ifindex = link->ifindex;
	return 0;
}

int devices_read(struct devices *d)
{
	struct filling f = {.d = d};
	int err;

	*d = (struct devices){};
	err = link_each(add, &f);
	if (!err && d->n)
		qsort(d->all, d->n, sizeof(*d->all), compare);
	return err;
}

void devices_free(struct devices *d)
{
	free(d->all);
}

__u32 devices_find(const struct devices *d, const char *name)
{
	struct device key = {}, *found;

	strncpy(key.name, name, sizeof(key.name) - 1);
	found = d->n ? bsearch(&key, d->all, d->n, sizeof(key), compare) : NULL;
	return found ? found->ifindex : 0;
}

/* ---- waiting ---------------------------------------------------------------------- */

struct waiting {
	const char (*name)[IFNAMSIZ];
	size_t n, enough;
	bool news; /* a device came, or messages were lost */
};

static int hear(const struct nlmsghdr *message, void *data)
{
	struct waiting *w = data;

	if (message->nlmsg_type == RTM_NEWLINK)
		w->news = true;
	return MNL_CB_OK;
}

/* 1: enough of the devices exist; 0: not yet. */
static int are_enough(const struct waiting *w)
{
	cleanup_devices struct devices d;
	size_t missing = 0, i;
	int err = devices_read(&d);

	for (i = 0; !err && i < w->n; i++)
		missing += !devices_find(&d, w->name[i]);
	return err ?: missing <= w->enough;
}

static __u64 now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / MS_NS;
}

/* Reads all waiting messages, so the names are compared once for many new devices. */
static void hear_all(struct mnl_socket *socket, struct waiting *w)
{
	char buffer[16384];
	ssize_t len;

	for (;;) {
		len = recv(mnl_socket_get_fd(socket), buffer, sizeof(buffer), MSG_DONTWAIT);
		if (len < 0 && errno == ENOBUFS)
			w->news = true;
		else if (len <= 0)
			return;
		else
			mnl_cb_run(buffer, (size_t)len, 0, 0, hear, w);
	}
}

static int wait_on(struct mnl_socket *socket, struct waiting *w, __u64 until)
{
	struct pollfd fd = {.fd = mnl_socket_get_fd(socket), .events = POLLIN};
	int is = are_enough(w);
	__u64 now;

	while (!is && (now = now_ms()) < until) {
		if (poll(&fd, 1, (int)(until - now)) < 0 && errno != EINTR)
			return fail(errno, "cannot wait for devices: %s", strerror(errno));
		w->news = false;
		hear_all(socket, w);
		if (w->news)
			is = are_enough(w);
	}
	return is < 0 ? is : 0;
}

/* Listens before it reads the devices, so no device appears unnoticed in between. */
int devices_wait(const char (*name)[IFNAMSIZ], size_t n, size_t enough, __u64 until)
{
	struct waiting w = {.name = name, .n = n, .enough = enough};
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int err;

	if (!socket || mnl_socket_bind(socket, RTMGRP_LINK, MNL_SOCKET_AUTOPID) < 0)
		err = fail(errno, "cannot listen for devices: %s", strerror(errno));
	else
		err = wait_on(socket, &w, until);
	if (socket)
		mnl_socket_close(socket);
	return err;
}
