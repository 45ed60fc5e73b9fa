// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "kernel/sockets.h"
#include "switch/session.h"
#include "tools/flows/changed.h"
#include "tools/flows/tenant.h"

enum { DOMAIN = 1, UDP_HEADER = 8, IPV4_HEADER = 20, IPV6_HEADER = 40 };

/* Where flows are told to. */
struct collector {
	struct tsw_target at;
	int fd;
	bool again; /* it may be away for a while */
	bool away;  /* it was when it was told last */
	const struct log *log;
};

static const char *collector_text(const struct collector *c)
{
	return target_text(&c->at.addr, c->at.port);
}

static int fail_socket(const struct collector *c)
{
	return fail(errno, "cannot send to %s: %s", collector_text(c), strerror(errno));
}

static int collector_open(struct collector *c)
{
	struct sockaddr_storage to;
	const socklen_t len = socket_address(addr_family(&c->at.addr), &c->at.addr,
					     htons((__u16)c->at.port), &to);

	c->fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return c->fd < 0 || connect(c->fd, (void *)&to, len) ? fail_socket(c) : 0;
}

/* No message in several packets, as far as is known now: RFC 7011 section 10.3.3. */
static size_t message_most(const struct collector *c)
{
	const bool is_v4 = addr_is_v4(&c->at.addr);
	const int headers = UDP_HEADER + (is_v4 ? IPV4_HEADER : IPV6_HEADER);
	int mtu = 0;
	socklen_t len = sizeof(mtu);

	if (getsockopt(c->fd, is_v4 ? IPPROTO_IP : IPPROTO_IPV6, is_v4 ? IP_MTU : IPV6_MTU, &mtu,
		       &len) ||
	    mtu < IPFIX_LEAST + headers)
		return IPFIX_LEAST;
	return mtu < IPFIX_MOST + headers ? (size_t)(mtu - headers) : IPFIX_MOST;
}

/* That nobody listened to the one before is told by the next, which then is not sent. */
static int send_message(void *context, const void *octets, size_t len)
{
	struct collector *c = context;
	ssize_t sent = send(c->fd, octets, len, 0);
	int err = 0;

	if (sent < 0 && errno == ECONNREFUSED && !c->away)
		sent = send(c->fd, octets, len, 0);
	if (sent < 0)
		err = fail_socket(c);
	if (err && c->again && !c->away)
		note(c->log, "%s", failure()->text);
	c->away = err;
	return c->again ? 0 : err;
}

/* Was the last one heard? What says that nobody did is back at once, if it comes at all. */
static int check_heard(const struct collector *c)
{
	const struct timespec moment = {.tv_nsec = 50 * (long)MS_NS};
	socklen_t len = sizeof(int);
	int refused = 0;

	nanosleep(&moment, NULL);
	if (!getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &refused, &len) && refused) {
		errno = refused;
		return fail_socket(c);
	}
	return 0;
}

static const enum map read_maps[] = {MAP_TENANTS, MAP_TENANT_IDS, MAP_FLOW_TABLES, MAP_FLOW_CACHE};

/* Meanwhile the switch may have been taken down and up again, or upgraded. */
static int look_again(struct tsw *t)
{
	if (session_holds(t, read_maps, sizeof(read_maps) / sizeof(read_maps[0])))
		return 0;
	session_leave(t);
	return session_open(t);
}

static int export_once(struct cli *cli, const struct words *w, struct flow_export *e)
{
	__u32 tenant;
	int err = flows_tenant(&cli->tsw, w, &tenant);

	e->ipfix.most = message_most(e->ipfix.context);
	return err ?: flow_export(e, &cli->tsw, tenant);
}

/* The last time is behind the signal: what came until then is told. */
static int export_on(struct cli *cli, const struct words *w, struct flow_export *e)
{
	__u64 next = clock_ns(CLOCK_MONOTONIC);
	bool last = false;
	int err = 0;

	ended_catch();
	while (!err && !last) {
		last = ended_asked();
		err = look_again(&cli->tsw);
		err = err ?: export_once(cli, w, e);
		next += w->option.every * SECOND_NS;
		if (!err && !last)
			ended_wait(next);
	}
	return err;
}

int cmd_flows_export(struct cli *cli, const struct words *w)
{
	const bool again = w->given & FIELD(OPTION_EVERY);
	struct collector c = {.at = w->option.to, .fd = -1, .again = again, .log = &cli->tsw.log};
	struct flow_export e = {
		.ipfix = {.domain = w->given & FIELD(OPTION_DOMAIN) ? w->option.domain : DOMAIN,
			  .send = send_message,
			  .context = &c},
		.again = again,
	};
	__u32 tenant;
	int err = 0;

	/* It would keep the others' lock. */
	if (again && cli->tsw.will_write)
		return misuse("flows export with every cannot be in a batch with commands that "
			      "change the switch");
	err = flows_tenant(&cli->tsw, w, &tenant);
	err = err ?: collector_open(&c);
	err = err ?: (again ? export_on : export_once)(cli, w, &e);
	if (!err && !again)
		err = check_heard(&c);
	flow_export_free(&e);
	if (c.fd >= 0)
		close(c.fd);
	return err;
}
