// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/own_file.h"
#include "kernel/owner.h"

enum { FLAGS = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY };

static int fail_open(const char *path)
{
	return fail(errno, "cannot open %s: %s", quoted(path), strerror(errno));
}

/* N of /dev/fd/N; -1: another path. */
static long descriptor_of(const char *path)
{
	static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};
	const char *number = NULL;
	char *end;
	size_t i;
	long n;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			number = path + strlen(dirs[i]);
	if (!number || *number < '0' || *number > '9')
		return -1;
	n = strtol(number, &end, 10);
	return *end || n > INT_MAX ? -1 : n;
}

/* These paths are links, but only to files that the caller has opened. */
static int open_descriptor(const char *path, int n)
{
	int fd = fcntl(n, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	return fd < 0 ? fail_open(path) : fd;
}

/* Another user may have made a hard link here, even to a file that he cannot read. */
static int check_file(const char *path, const struct stat *st)
{
	const bool regular = S_ISREG(st->st_mode);
	char owner[OWNER_LEN];

	if (S_ISLNK(st->st_mode))
		return fail(
			ELOOP,
			"%s is a symbolic link, which tsw does not follow: name the file itself",
			quoted(path));
	if (st->st_uid != geteuid() && (regular || st->st_uid))
		return fail(EPERM,
			    "%s belongs to %s, so tsw does not write it: choose another name, or "
			    "remove it",
			    quoted(path), owner_text(st->st_uid, owner));
	if (regular && st->st_nlink > 1)
		return fail(EMLINK,
			    "%s is one of %lu hard links to a file, so tsw does not write it: "
			    "choose another name, or remove this one",
			    quoted(path), (unsigned long)st->st_nlink);
	return 0;
}

/* Checks the open file and the file of that name, because names may be moved meanwhile. */
static int check_opened(const char *path, int fd, struct stat *st)
{
	struct stat now;
	int err;

	if (fstat(fd, st) || lstat(path, &now))
		return fail_open(path);
	err = check_file(path, st);
	err = err ?: check_file(path, &now);
	if (!err && (st->st_ino != now.st_ino || st->st_dev != now.st_dev))
		err = fail(EAGAIN, "%s was replaced while it was opened", quoted(path));
	return err;
}

static int take(const char *path, int fd)
{
	int err = 0;

	if (flock(fd, LOCK_EX | LOCK_NB))
		err = fail(EBUSY, "%s is being written by another command", quoted(path));
	else if (ftruncate(fd, 0))
		err = fail(errno, "cannot empty %s: %s", quoted(path), strerror(errno));
	return err;
}

/* Checks the file before opening it, because opening a pipe waits for a reader. */
static int open_old(const char *path)
{
	struct stat st;
	int err = lstat(path, &st) ? fail_open(path) : check_file(path, &st), fd;

	if (err)
		return err;
	fd = open(path, FLAGS);
	if (fd < 0)
		return fail_open(path);
	err = check_opened(path, fd, &st);
	if (!err && S_ISREG(st.st_mode))
		err = take(path, fd);
	if (err)
		close(fd);
	return err ?: fd;
}

int own_file_open(const char *path)
{
	const long n = descriptor_of(path);
	int fd, err;

	if (n >= 0)
		return open_descriptor(path, (int)n);
	fd = open(path, FLAGS | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return errno == EEXIST ? open_old(path) : fail_open(path);
	err = take(path, fd);
	if (err)
		close(fd);
	return err ?: fd;
}
