// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/process.h"

/* Sockets that were found, since the agent asks for the same ones again and again. */
enum { KNOWN = 256 };
static _Thread_local struct known {
	__u32 inode;
	char word[28]; /* its beginning */
} known[KNOWN];

enum { ARGUMENTS = 16384 }; /* a runtime's longer ones are cut off */

static bool has_argument(int proc, const char *pid, const char *word)
{
	char path[32], all[ARGUMENTS + 1], *one;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%.16s/cmdline", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, all, ARGUMENTS);
	if (fd >= 0)
		close(fd);
	all[n > 0 ? n : 0] = '\0';
	for (one = all; one < all + n; one += strlen(one) + 1)
		if (!strcmp(one, word))
			return true;
	return false;
}

static bool has_opened(int proc, const char *pid, const char *what)
{
	char path[32], target[64];
	const struct dirent *file;
	bool has = false;
	ssize_t n;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%.16s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return errno == EACCES || errno == EPERM;
	while (!has && (file = readdir(dir))) {
		n = readlinkat(fd, file->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		has = n < 0 ? errno == EACCES || errno == EPERM : !strcmp(target, what);
	}
	closedir(dir);
	return has;
}

bool process_has_socket(const char *word, __u32 inode)
{
	struct known *k = &known[inode % KNOWN];
	const struct dirent *one;
	bool has = false;
	char what[32];
	DIR *proc;

	if (k->inode == inode && !strncmp(k->word, word, sizeof(k->word) - 1))
		return true;
	proc = opendir("/proc");
	snprintf(what, sizeof(what), "socket:[%u]", inode);
	while (!has && proc && (one = readdir(proc)))
		has = strspn(one->d_name, "0123456789") == strlen(one->d_name) &&
		      has_argument(dirfd(proc), one->d_name, word) &&
		      has_opened(dirfd(proc), one->d_name, what);
	if (proc)
		closedir(proc);
	if (has) {
		k->inode = inode;
		snprintf(k->word, sizeof(k->word), "%s", word);
	}
	return has;
}
