// SPDX-License-Identifier: GPL-2.0-only
/* The router's network namespace, in a /run that is this test's own, which needs root. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "door/router_ns.h"
#include "kernel/netns.h"

#include <cmocka.h>

static bool ours; /* the directory is */

static int set_up(void **state)
{
	(void)state;
	ours = !geteuid() && !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/run", "tmpfs", 0, NULL);
	return 0;
}

/* 0: there is none. */
static ino_t inode(const char *instance)
{
	const int fd = router_ns_open(instance);
	struct stat of = {};

	if (fd < 0) {
		assert_int_equal(fd, -ENOENT);
		return 0;
	}
	assert_int_equal(fstat(fd, &of), 0);
	close(fd);
	return of.st_ino;
}

static __u32 own(void)
{
	__u32 number;

	assert_int_equal(netns_inode(&number), 0);
	return number;
}

static void made_and_gone(void **state)
{
	const __u32 before = own();
	ino_t first;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(inode("default"), 0);
	assert_int_equal(router_ns_make("default"), 0);
	first = inode("default");
	assert_int_not_equal(first, 0);
	assert_int_not_equal(first, before);
	assert_int_equal(own(), before);
	assert_int_equal(router_ns_make("default"), 0);
	assert_int_equal(inode("default"), first);
	assert_int_equal(access("/run/netns/tsw-gw", F_OK), 0);
	assert_int_equal(router_ns_remove("default"), 0);
	assert_int_equal(inode("default"), 0);
	assert_int_not_equal(access("/run/netns/tsw-gw", F_OK), 0);
	assert_int_equal(router_ns_remove("default"), 0);
}

static void one_for_each(void **state)
{
	(void)state;
	if (!ours)
		skip();
	assert_int_equal(router_ns_make("default"), 0);
	assert_int_equal(router_ns_make("h2"), 0);
	assert_int_not_equal(inode("default"), inode("h2"));
	assert_int_equal(router_ns_remove("default"), 0);
	assert_int_not_equal(inode("h2"), 0);
	assert_int_equal(router_ns_remove("h2"), 0);
}

/* What a kill leaves: a file, or two mounts of one place. */
static void half_made(void **state)
{
	(void)state;
	if (!ours)
		skip();
	assert_int_equal(router_ns_make("h2"), 0); /* the directory */
	close(open("/run/netns/tsw-gw", O_RDONLY | O_CREAT, 0));
	assert_int_equal(inode("default"), 0);
	assert_int_equal(router_ns_make("default"), 0);
	assert_int_not_equal(inode("default"), 0);
	assert_int_equal(mount("/run/netns/tsw-gw", "/run/netns/tsw-gw", NULL, MS_BIND, NULL), 0);
	assert_int_equal(router_ns_remove("default"), 0);
	assert_int_not_equal(access("/run/netns/tsw-gw", F_OK), 0);
	assert_int_equal(router_ns_remove("h2"), 0);
}

/* It outlives who made it, and is seen in a mount namespace that was there before. */
static void outlives(void **state)
{
	int status, at[2];
	pid_t child;
	char go;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(router_ns_make("h2"), 0); /* the directory is shared */
	assert_int_equal(pipe(at), 0);
	child = fork();
	if (!child) {
		if (unshare(CLONE_NEWNS) || write(at[1], "x", 1) != 1)
			_exit(1);
		_exit(router_ns_make("default") ? 2 : 0);
	}
	assert_int_equal(read(at[0], &go, 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_not_equal(inode("default"), 0);
	assert_int_equal(router_ns_remove("default"), 0);
	assert_int_equal(router_ns_remove("h2"), 0);
	close(at[0]);
	close(at[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_and_gone),
		cmocka_unit_test(one_for_each),
		cmocka_unit_test(half_made),
		cmocka_unit_test(outlives),
	};

	return cmocka_run_group_tests_name("router_ns", tests, set_up, NULL);
}
