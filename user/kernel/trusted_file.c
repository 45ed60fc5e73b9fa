// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/trusted_file.h"

enum { OTHERS_READ = 044 };

static int check(int fd, const char *path, unsigned int mask)
{
	const bool secret = mask & OTHERS_READ;
	struct stat st;

	if (fstat(fd, &st))
		return fail(errno, "%s: %s", quoted(path), strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(EINVAL, "%s is not a regular file", quoted(path));
	if ((!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & mask))
		return 0;
	return fail(EPERM, "%s can be %s by others than root: chown root %s && chmod %s %s",
		    quoted(path), secret ? "read" : "written", escaped(path),
		    secret ? "600" : "go-w", escaped(path));
}

int trusted_file_open(const char *path, unsigned int mask)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = fd < 0 ? fail(errno, "cannot read %s: %s", quoted(path), strerror(errno)) : 0;

	err = err ?: check(fd, path, mask);
	if (err && fd >= 0)
		close(fd);
	return err ?: fd;
}

int trusted_file_check(const char *path, unsigned int mask)
{
	const int fd = trusted_file_open(path, mask);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
