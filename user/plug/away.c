// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plug/away.h"

enum { PATH = 160 };

static void path_of(const struct away *a, char path[PATH])
{
	snprintf(path, PATH, "/run/tsw/%s.away", a->instance);
}

/* A file from before a jump of the clock counts as old. */
void away_begin(struct away *a, const char *instance)
{
	const time_t now = time(NULL);
	char path[PATH];
	struct stat file;

	*a = (struct away){.instance = instance};
	path_of(a, path);
	a->known = !stat(path, &file) && file.st_mtime <= now && now - file.st_mtime < AWAY_SECONDS;
}

unsigned int away_wait(const struct away *a)
{
	return a->known ? AWAY_TRY_MS : AWAY_WAIT_MS;
}

/* A short try in vain does not make the file younger, so a whole wait comes again. */
void away_note(struct away *a, int err)
{
	char path[PATH];
	int fd;

	if (!a->asked)
		return;
	a->asked = false;
	path_of(a, path);
	if (err == -EHOSTUNREACH && !a->known) {
		mkdir("/run/tsw", 0700); /* it may exist */
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		a->known = fd >= 0 && !futimens(fd, NULL);
		if (fd >= 0)
			close(fd);
	} else if (!err && a->known) {
		a->known = false;
		unlink(path);
	}
}
