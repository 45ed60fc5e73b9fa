// SPDX-License-Identifier: GPL-2.0-only
/* The router's namespace, with the far ends of what is in place of tsw-gw and tsw-up. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/router_ns.h"
#include "kernel/netns_move.h"
#include "lab.h"

static int bench = -1, router = -1;
static __s32 number = -1;

static int own(void)
{
	return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "# the router: %s: %s\n", what, strerror(errno));
	abort();
}

void lab_router_enter(void)
{
	must(!setns(router, CLONE_NEWNET), "enter");
}

void lab_router_leave(void)
{
	must(!setns(bench, CLONE_NEWNET), "leave");
}

void lab_router_make(void)
{
	char move[256];

	if (router >= 0)
		return;
	bench = own();
	must(bench >= 0 && !unshare(CLONE_NEWNET), "make");
	router = own();
	must(router >= 0, "open");
	lab_sysctl("ipv6/conf/default/disable_ipv6", "1");
	lab_router_leave();
	snprintf(move, sizeof(move),
		 "link set gw1 netns /proc/%d/fd/%d\nlink set tsup1 netns /proc/%d/fd/%d\n",
		 getpid(), router, getpid(), router);
	lab_ip(move);
	must(!router_ns_number(router, &number), "its number");
	netns_router(fcntl(router, F_DUPFD_CLOEXEC, 0)); /* for what knows conntrack */
	lab_router_enter();
	lab_ip("link set lo up\nlink set gw1 up\nlink set tsup1 up\n");
	lab_router_leave();
	lab_fill(); /* with its number */
}

void lab_router_config(struct tsw_config *cfg)
{
	struct stat its;

	if (router < 0 ? stat("/proc/thread-self/ns/net", &its) : fstat(router, &its))
		must(false, "inode");
	cfg->router = (__u32)its.st_ino;
	cfg->nsid = number;
}
