// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/owner.h"
#include "store/lock.h"
#include "store/pins.h"

#define RUN "/run"
#define LOCKS RUN "/tsw"

enum { TRIES = 1000, TICK_NS = 10000000 };

/* Not SIGALRM: the parent may have set an alarm, which outlives exec. */
#define WAKE SIGRTMIN

/* The first thread that waits sets the signal's action, the last one restores the old one. */
static pthread_mutex_t waiters = PTHREAD_MUTEX_INITIALIZER;
static unsigned int waiting;
static struct sigaction before;

void lock_path(char path[LOCK_PATH], const struct tsw *t)
{
	snprintf(path, LOCK_PATH, LOCKS "/%s", t->instance);
}

static __u64 now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / MS_NS;
}

/* The id of the process that has the lock, from /proc/locks; 0: unknown. */
static long holder_of(int fd)
{
	unsigned int dev_major, dev_minor;
	unsigned long long inode;
	struct stat held;
	char line[256];
	long pid, found = 0;
	FILE *f;

	f = fstat(fd, &held) ? NULL : fopen("/proc/locks", "re");
	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*u: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &dev_major, &dev_minor,
			   &inode) == 4 &&
		    inode == held.st_ino && makedev(dev_major, dev_minor) == held.st_dev)
			found = pid;
	if (f)
		fclose(f);
	return found > 0 ? found : 0;
}

static void name_of(long pid, char *name, size_t len)
{
	char path[64], read[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(read, sizeof(read), f))
		read[strcspn(read, "\n")] = '\0';
	if (f)
		fclose(f);
	snprintf(name, len, "%s", *read ? quoted(read) : "which has ended");
}

static int refuse(const struct tsw *t, int fd)
{
	const long pid = holder_of(fd);
	char name[128];

	fail(EBUSY, "another command is at work on this switch");
	if (pid) {
		name_of(pid, name, sizeof(name));
		fail_more(": process %ld, %s", pid, name);
	}
	if (t->wait_ms)
		fail_more("; waited %g s, and -w SECONDS waits longer", t->wait_ms / 1000.0);
	else
		fail_more("; did not wait, as -w 0 says");
	return -EBUSY;
}

static void wake(int signal)
{
	(void)signal; /* it only makes flock() end with EINTR */
}

static void wait_begin(void)
{
	const struct sigaction action = {.sa_handler = wake, .sa_flags = SA_ONSTACK};

	pthread_mutex_lock(&waiters);
	if (!waiting++)
		sigaction(WAKE, &action, &before);
	pthread_mutex_unlock(&waiters);
}

static void wait_end(void)
{
	pthread_mutex_lock(&waiters);
	if (!--waiting)
		sigaction(WAKE, &before, NULL);
	pthread_mutex_unlock(&waiters);
}

/*
 * Sleeps in flock() until this process has the lock or the time is over. The kernel wakes waiters
 * in their order; a process that polls would get the lock only by luck.
 */
static int wait_until(int fd, __u64 left_ms)
{
	/* The timer repeats, because its first signal may come just before flock() begins. */
	const struct itimerspec when = {
		.it_value = {(time_t)(left_ms / 1000), (long)(left_ms % 1000) * 1000000},
		.it_interval = {.tv_nsec = TICK_NS},
	};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE};
	sigset_t set, old_set;
	timer_t timer;
	int err;

	event._sigev_un._tid = gettid(); /* glibc 2.36 has no sigev_notify_thread_id */
	sigemptyset(&set);
	sigaddset(&set, WAKE);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return -errno;
	wait_begin();
	pthread_sigmask(SIG_UNBLOCK, &set, &old_set);
	timer_settime(timer, 0, &when, NULL);
	err = flock(fd, LOCK_EX) ? -errno : 0;
	timer_delete(timer); /* its signals to this thread are delivered by now */
	pthread_sigmask(SIG_SETMASK, &old_set, NULL);
	wait_end();
	return err;
}

static int wait_for(const struct tsw *t, int fd, __u64 until)
{
	int err = flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	__u64 now;

	while (err == -EWOULDBLOCK || err == -EINTR) {
		now = now_ms();
		if (now >= until)
			return refuse(t, fd);
		err = wait_until(fd, until - now);
	}
	return err ? fail(err, "cannot lock: %s", strerror(-err)) : 0;
}

/* Whether FD is still the directory at PATH: `switch down` may have removed it during the wait. */
static bool still_there(int fd, const char *path)
{
	struct stat held, found;

	return !fstat(fd, &held) && !stat(path, &found) && held.st_ino == found.st_ino &&
	       held.st_dev == found.st_dev;
}

static int fail_open(const char *path)
{
	return errno == ENOENT
		       ? -ENOENT
		       : fail(errno, "cannot open the lock %s: %s", escaped(path), strerror(errno));
}

/* Fails if another user owns /run/tsw, who could hold each lock for ever. */
static int check_owner(const char *path)
{
	int err = owner_check_directory(LOCKS, RUN);

	if (err && err != -ENOENT)
		fail_where("cannot open the lock %s: ", escaped(path));
	return err;
}

static int make_directory(const char *path)
{
	int err;

	if (mkdir(LOCKS, 0700) && errno != EEXIST)
		return fail_open(path);
	err = check_owner(path);
	if (!err && mkdir(path, 0700) && errno != EEXIST)
		err = fail_open(path);
	return err;
}

/* Opens the directory. -ENOENT without message: it does not exist, or was removed meanwhile. */
static int open_directory(const char *path, bool make)
{
	int err = make ? make_directory(path) : 0, fd;

	if (err)
		return err;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? fail_open(path) : fd;
}

/* The lock's fd, or -ENOENT without message if there is no directory to lock. */
static int lock_directory(const struct tsw *t, const char *path, bool make, __u64 until)
{
	int fd, err, tries = TRIES;

	for (;;) {
		fd = open_directory(path, make);
		if (fd == -ENOENT && make && --tries)
			continue; /* removed between mkdir and open */
		if (fd == -ENOENT && make)
			return fail(ENOENT, "cannot make the lock %s", escaped(path));
		if (fd < 0)
			return fd;
		err = wait_for(t, fd, until);
		if (!err && still_there(fd, path))
			return fd;
		close(fd);
		if (err)
			return err;
	}
}

int lock_all(const struct tsw *t)
{
	return lock_directory(t, LOCKS, true, now_ms() + t->wait_ms);
}

void lock_all_drop(int fd)
{
	rmdir(LOCKS); /* stays while a switch has its lock there */
	close(fd);
}

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int take_pins(struct tsw *t, __u64 until)
{
	char path[PINS_PATH];
	int fd;

	pins_dir(path, t->instance);
	if (t->pins_lock >= 0 && still_there(t->pins_lock, path))
		return 0;
	drop(&t->pins_lock);
	fd = lock_directory(t, path, false, until);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	t->pins_lock = fd;
	return 0;
}

int lock_pins(struct tsw *t)
{
	return take_pins(t, now_ms() + t->wait_ms);
}

static int take(struct tsw *t, bool make)
{
	const __u64 until = now_ms() + t->wait_ms;
	char path[LOCK_PATH];
	int fd, err;

	if (t->lock >= 0)
		return 0;
	lock_path(path, t);
	fd = lock_directory(t, path, make, until);
	if (fd < 0)
		return fd;
	t->lock = fd;
	err = take_pins(t, until);
	if (err)
		lock_drop(t);
	return err;
}

int lock_take(struct tsw *t)
{
	return take(t, true);
}

int lock_join(struct tsw *t)
{
	return take(t, false);
}

int lock_read(struct tsw *t)
{
	char path[LOCK_PATH];
	int err;

	lock_path(path, t);
	err = t->lock < 0 ? check_owner(path) : 0;
	if (err && err != -ENOENT)
		return err;
	err = lock_join(t);
	return err == -ENOENT ? lock_pins(t) : err;
}

void lock_drop(struct tsw *t)
{
	drop(&t->pins_lock);
	drop(&t->lock);
}

void lock_remove(struct tsw *t)
{
	char path[LOCK_PATH];

	if (t->lock < 0)
		return;
	lock_path(path, t);
	rmdir(path);
	rmdir(LOCKS); /* stays while another switch has its lock there */
	lock_drop(t); /* a lock on a removed directory locks nothing */
}
