// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "base/clock.h"
#include "cli/ended.h"
#include "cli/out.h"

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

void ended_catch(void)
{
	const struct sigaction end = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

bool ended_asked(void)
{
	return ended;
}

/* ppoll() also sees a signal that arrives between the check and the wait. */
void ended_wait(__u64 until)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC), left = until > now ? until - now : 0;
	const struct timespec wait = {.tv_sec = (time_t)(left / SECOND_NS),
				      .tv_nsec = (long)(left % SECOND_NS)};
	sigset_t ends, before;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	if (!ended)
		ppoll(NULL, 0, &wait, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int ended_or_flush(struct watch *w)
{
	int err = out_flush();

	(void)w;
	return err ?: ended;
}
