// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "lock.h"
#include "text.h"

#define LOCKS "/run/tsw"

enum { PATH_LEN = 128, WAIT_MS = 10000, STEP_MS = 10, TRIES = 1000 };

static void lock_path(char *path, const struct tsw *t)
{
	snprintf(path, PATH_LEN, LOCKS "/%s", t->instance);
}

static int open_directory(const char *path)
{
	if ((mkdir(LOCKS, 0700) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST))
		return -errno;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static int wait_for(int fd, int *waited)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(errno, "cannot lock: %s", strerror(errno));
		if (*waited >= WAIT_MS)
			return fail(EBUSY, "another tsw is at work on this switch");
		nanosleep(&step, NULL);
		*waited += STEP_MS;
	}
	return 0;
}

/* While we waited, `switch down` may have removed the directory that we have open. */
static bool still_there(int fd, const char *path)
{
	struct stat held, found;

	return !fstat(fd, &held) && !stat(path, &found) && held.st_ino == found.st_ino &&
	       held.st_dev == found.st_dev;
}

int lock_take(struct tsw *t)
{
	char path[PATH_LEN];
	int fd, err, waited = 0, tries = TRIES;

	if (t->lock >= 0)
		return 0;
	lock_path(path, t);
	for (;;) {
		fd = open_directory(path);
		if (fd < 0 && errno == ENOENT && --tries)
			continue; /* removed between mkdir and open */
		if (fd < 0)
			return fail(errno, "cannot open the lock %s: %s", escaped(path),
				    strerror(errno));
		err = wait_for(fd, &waited);
		if (!err && still_there(fd, path)) {
			t->lock = fd;
			return 0;
		}
		close(fd);
		if (err)
			return err;
	}
}

void lock_drop(struct tsw *t)
{
	if (t->lock >= 0)
		close(t->lock);
	t->lock = -1;
}

void lock_remove(const struct tsw *t)
{
	char path[PATH_LEN];

	if (t->lock < 0)
		return;
	lock_path(path, t);
	rmdir(path);
	rmdir(LOCKS); /* stays while another switch has its lock there */
}
