// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock, in /run and in a BPF filesystem that are this test's own, which needs root: who waits,
 * how long, and that nobody has one that is not there any more.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/clock.h"
#include "base/err.h"
#include "store/lock.h"
#include "store/pins.h"
#include "store/tsw.h"

#include <cmocka.h>

enum { SHORT_MS = 200, LONG_MS = 20000 };

#define INSTANCE "unit"

static bool ours; /* the directories are */

static struct tsw asker(__u32 wait_ms)
{
	return (struct tsw){.instance = INSTANCE, .lock = -1, .pins_lock = -1, .wait_ms = wait_ms};
}

static __u64 ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / MS_NS;
}

static int own_directories(void **state)
{
	(void)state;
	ours = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/run", "tmpfs", 0, NULL) &&
	       !mount("none", "/sys/fs/bpf", "bpf", 0, NULL);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	return ours ? pins_make(INSTANCE) : 0;
}

static int end(void **state)
{
	struct tsw t = asker(0);

	(void)state;
	if (!ours)
		return 0;
	if (!lock_take(&t))
		lock_remove(&t);
	lock_drop(&t);
	return pins_remove(INSTANCE);
}

static void assert_held(void)
{
	struct tsw t = asker(0);

	assert_int_equal(lock_take(&t), -EBUSY);
	assert_int_equal(t.lock, -1);
	assert_int_equal(t.pins_lock, -1);
}

static void one_at_a_time(void **state)
{
	struct tsw t = asker(0), other = asker(SHORT_MS);
	char text[64];
	__u64 start;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(lock_take(&t), 0);
	assert_int_equal(lock_take(&t), 0); /* has it */
	assert_held();
	assert_non_null(strstr(failure()->text, "did not wait"));
	snprintf(text, sizeof(text), "process %d, \"", getpid());
	assert_non_null(strstr(failure()->text, text));
	start = ms();
	assert_int_equal(lock_take(&other), -EBUSY);
	assert_in_range(ms() - start, SHORT_MS, LONG_MS / 2);
	assert_non_null(strstr(failure()->text, "waited 0.2 s"));
	lock_drop(&t);
	assert_int_equal(lock_take(&other), 0);
	assert_held();
	lock_drop(&other);
}

/* Another process, which has the lock for a while. */
static pid_t holder(void (*last)(struct tsw *t))
{
	struct tsw t = asker(0);
	int ends[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		if (lock_take(&t) || write(ends[1], "x", 1) != 1)
			_exit(1);
		usleep(SHORT_MS * 1000);
		last(&t);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

static void assert_ended(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void waits(void **state)
{
	const struct sigaction own = {.sa_handler = SIG_IGN};
	struct sigaction before, after;
	struct tsw t = asker(LONG_MS);
	sigset_t set, is;
	__u64 start;
	pid_t pid;

	(void)state;
	if (!ours)
		skip();
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL); /* whoever started us may have */
	sigaction(SIGRTMIN, &own, &before);
	pid = holder(lock_drop);
	start = ms();
	assert_int_equal(lock_take(&t), 0);
	assert_true(ms() - start < LONG_MS / 2);
	assert_ended(pid);
	assert_held();
	sigprocmask(SIG_BLOCK, NULL, &is);
	sigaction(SIGRTMIN, NULL, &after);
	assert_true(sigismember(&is, SIGRTMIN));
	assert_ptr_equal(after.sa_handler, SIG_IGN);
	sigaction(SIGRTMIN, &before, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	lock_drop(&t);
}

static void take_down(struct tsw *t)
{
	pins_remove(INSTANCE);
	lock_remove(t);
	lock_drop(t);
}

/* While one waits the switch goes, and its lock: what one gets is that which others ask for. */
static void gone_meanwhile(void **state)
{
	struct tsw t = asker(LONG_MS);
	pid_t pid;

	(void)state;
	if (!ours)
		skip();
	pid = holder(take_down);
	assert_int_equal(lock_take(&t), 0);
	assert_ended(pid);
	assert_held();
	/* Made anew under the lock: that directory is locked too, when it is asked for. */
	assert_int_equal(t.pins_lock, -1);
	assert_int_equal(pins_make(INSTANCE), 0);
	assert_int_equal(lock_pins(&t), 0);
	assert_true(t.pins_lock >= 0);
	pins_remove(INSTANCE);
	assert_int_equal(pins_make(INSTANCE), 0);
	assert_int_equal(lock_pins(&t), 0);
	assert_int_equal(rmdir("/run/tsw/" INSTANCE), 0);
	assert_held();
	lock_drop(&t);
}

/* /run was emptied: the pins' directory is locked. */
static void run_emptied(void **state)
{
	struct tsw t = asker(0), other = asker(0);

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(lock_take(&t), 0);
	assert_int_equal(rmdir("/run/tsw/" INSTANCE), 0);
	assert_held();
	lock_drop(&t);
	assert_int_equal(lock_take(&other), 0);
	lock_drop(&other);
}

/* Only who has the lock removes it. */
static void removed(void **state)
{
	struct tsw t = asker(0);
	struct stat dir;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(lock_take(&t), 0);
	lock_drop(&t);
	lock_remove(&t);
	assert_int_equal(stat("/run/tsw/" INSTANCE, &dir), 0);
	assert_int_equal(dir.st_mode & 0777, 0700);
	assert_int_equal(lock_take(&t), 0);
	lock_remove(&t);
	lock_drop(&t);
	assert_int_equal(stat("/run/tsw", &dir), -1);
}

/* What is removed nobody holds, who removed it included: another makes its own, and holds that. */
static void removed_by_one(void **state)
{
	struct tsw t = asker(0), other = asker(0);

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(lock_take(&t), 0);
	lock_remove(&t);
	assert_int_equal(t.lock, -1);
	assert_int_equal(t.pins_lock, -1);
	assert_int_equal(lock_take(&other), 0);
	assert_int_equal(lock_take(&t), -EBUSY);
	lock_drop(&other);
	assert_int_equal(lock_take(&t), 0);
	lock_drop(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_at_a_time), TEST(waits),   TEST(gone_meanwhile),
		TEST(run_emptied),   TEST(removed), TEST(removed_by_one),
	};

	return cmocka_run_group_tests_name("lock", tests, own_directories, NULL);
}
