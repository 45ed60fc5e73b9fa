// SPDX-License-Identifier: GPL-2.0-only
/*
 * `tsw web`: a page that shows the switch, read only. Every part of it is what another command
 * prints with -j, see part.c; server.c decides who may ask; page.* are the page.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cluster/member.h"
#include "cmd/cmd.h"
#include "switch/session.h"
#include "tools/web/guard.h"
#include "tools/web/part.h"
#include "tools/web/server.h"
#include "tools/web/view.h"

enum { PORT = 8480, TICK_MS = 1000 };

#define LISTEN_WORDS (FIELD(OPTION_LISTEN) | FIELD(OPTION_PORT))

int fit_web(struct words *w)
{
	if (w->given & FIELD(OPTION_SOCKET) && w->given & LISTEN_WORDS)
		return misuse("\"socket\" stands alone, without listen and port");
	return 0;
}

/* Tells where the page is; the token only here. */
static int tell(struct cli *cli, const struct words *w, const char *where, const char *token)
{
	char url[256];

	snprintf(url, sizeof(url), "http://%s/#%s", where, token);
	if (w->given & FIELD(OPTION_SOCKET))
		out_object(&cli->out, json_pack("{s:s}", "socket", w->option.socket));
	else
		out_object(&cli->out, json_pack("{s:s}", "url", url));
	return out_flush();
}

static int wait_ms(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG ms;

	return mhd.get_timeout(daemon, &ms) == MHD_YES && ms < TICK_MS ? (int)ms : TICK_MS;
}

/* Also while nobody looks, so that the page begins with the last minutes. */
static void sample(__u64 *next)
{
	struct answer *a = part_at(PART_DROPS);

	if (clock_ns(CLOCK_MONOTONIC) < *next || !part_fresh(a))
		return;
	view_sample(a->status == MHD_HTTP_OK ? a->json : NULL);
	*next = clock_ns(CLOCK_MONOTONIC) + DROPS_EVERY_S * SECOND_NS;
}

static int serve(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *is = mhd.get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[1 + PARTS] = {{.fd = is ? is->epoll_fd : -1, .events = POLLIN}};
	__u64 next = 0;
	size_t n;

	while (!ended_asked()) {
		sample(&next);
		n = 1 + parts_poll(fds + 1);
		poll(fds, n, wait_ms(daemon));
		parts_read();
		server_tick();
		if (mhd.run(daemon) != MHD_YES)
			return fail(EIO, "libmicrohttpd has failed");
	}
	return 0;
}

/* Refuses at once what no request could be answered without. */
static int check(struct cli *cli)
{
	struct member m;

	if (cli->tsw.will_write)
		return misuse("web cannot be in a batch with commands that change the switch");
	session_leave(&cli->tsw); /* the maps of a switch that goes down are not held */
	return cli->cluster ? member_read(cli->tsw.instance, &m) : 0;
}

static int run(struct cli *cli, const struct words *w, struct listener *l)
{
	const __u32 port = w->given & FIELD(OPTION_PORT) ? w->option.port : PORT;
	const bool is_unix = w->given & FIELD(OPTION_SOCKET);
	struct MHD_Daemon *daemon = NULL;
	char token[TOKEN_LEN];
	/* In the order of web_listens. */
	const struct tsw_addr addrs[] = {addr_from_v4(htonl(INADDR_LOOPBACK)),
					 {.w = {0, 0, 0, htonl(1)}}};
	const struct tsw_addr *addr = &addrs[w->option.listen & 1];
	int err = token_make(token);

	err = err ?: is_unix ? listen_unix(w->option.socket, l) : listen_tcp(addr, port, l);
	if (err)
		return err;
	ended_catch();
	parts_init(cli);
	err = server_start(l, is_unix ? NULL : token, &daemon);
	err = err ?: tell(cli, w, target_text(addr, port), token);
	err = err ?: serve(daemon);
	parts_free();
	if (daemon)
		mhd.stop_daemon(daemon);
	else
		close(l->fd);
	listen_end(l);
	return err;
}

int cmd_web(struct cli *cli, const struct words *w)
{
	struct listener l = {.fd = -1};
	int err = check(cli);

	err = err ?: mhd_load();
	return err ?: run(cli, w, &l);
}
