// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "plug/kept.h"

static int cannot(const char *what, const char *path)
{
	return fail(errno, "cannot %s %s: %s", what, quoted(path), strerror(errno));
}

static void path_of(const char *directory, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", directory, name);
}

/* Opens a file without a name, which vanishes if this process is killed. */
static int open_new(const char *directory)
{
	int fd;

	if (mkdir(directory, 0700) && errno != EEXIST)
		return cannot("make", directory);
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? cannot("make a file in", directory) : fd;
}

static int write_text(int fd, const char *path, const char *text, bool durable)
{
	const size_t n = strlen(text);
	ssize_t did = write(fd, text, n);

	if (did >= 0 && (size_t)did < n)
		errno = ENOSPC;
	return did != (ssize_t)n || (durable && fsync(fd)) ? cannot("write", path) : 0;
}

static int sync_directory(const char *directory)
{
	int cleanup_close fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? cannot("write", directory) : 0;
}

int kept_write(const char *directory, const char *name, json_t *all, bool durable)
{
	char path[PATH_MAX], of[64];
	char cleanup_free *text = json_dumps(all, JSON_INDENT(2) | JSON_SORT_KEYS);
	int cleanup_close fd = open_new(directory);
	int err;

	json_decref(all);
	if (fd < 0)
		return fd;
	path_of(directory, name, path);
	err = text ? write_text(fd, path, text, durable) : fail_memory();
	if (err)
		return err;
	/* A call that was killed before it answered may have left a file of that name. */
	if (unlink(path) && errno != ENOENT)
		return cannot("remove", path);
	snprintf(of, sizeof(of), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, of, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return cannot("make", path);
	return durable ? sync_directory(directory) : 0;
}

int kept_read(const char *directory, const char *name, json_t **all)
{
	char path[PATH_MAX];
	json_error_t why;
	struct stat file;

	path_of(directory, name, path);
	if (stat(path, &file))
		return errno == ENOENT ? -ENOENT : cannot("read", path);
	if (!file.st_size)
		return -ENOENT;
	*all = json_load_file(path, 0, &why);
	return *all ? 0 : fail(EINVAL, "%s: %s", path, escaped(why.text));
}

int kept_remove(const char *directory, const char *name)
{
	char path[PATH_MAX];

	path_of(directory, name, path);
	return unlink(path) && errno != ENOENT ? cannot("remove", path) : 0;
}

int kept_each(const char *directory, const char *begins,
	      int (*each)(void *context, const char *name), void *context)
{
	DIR *dir = opendir(directory);
	struct dirent *file;
	int err = 0;

	if (!dir)
		return errno == ENOENT ? 0 : cannot("read", directory);
	while (!err && (file = readdir(dir)))
		if (!strncmp(file->d_name, begins, strlen(begins)))
			err = each(context, file->d_name);
	closedir(dir);
	return err;
}
