// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/status.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

static int open_file(const char *instance, int flags)
{
	char path[160];

	snprintf(path, sizeof(path), "/run/tsw/%s.agent", instance);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Not flock(): a reader would have to take that lock, and keep an agent from starting. */
int status_take(const char *instance)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	mkdir("/run/tsw", 0700); /* as for the switch's lock; it may exist */
	fd = open_file(instance, O_RDWR | O_CREAT);
	if (fd < 0)
		return fail(errno, "cannot open the agent's lock of switch %s: %s",
			    quoted(instance), strerror(errno));
	if (!fcntl(fd, F_OFD_SETLK, &all))
		return fd;
	close(fd);
	return fail(EBUSY, "an agent already runs for switch %s", quoted(instance));
}

int status_wait(const char *instance, unsigned int ms)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	const struct timespec pause = {0, 5 * MS_NS};
	struct agent_status unused;
	int fd;

	while ((fd = status_take(instance)) == -EBUSY && !status_read(instance, &unused) &&
	       clock_ns(CLOCK_MONOTONIC) < end)
		nanosleep(&pause, NULL);
	if (fd >= 0)
		(void)!ftruncate(fd, 0); /* `agent once` has no status */
	return fd;
}

/* If writing fails, readers see no status until the next time. */
void status_write(int fd, const struct agent_status *status)
{
	struct agent_status all = *status;

	all.size = sizeof(all);
	if (pwrite(fd, &all, sizeof(all), 0) != sizeof(all))
		(void)!ftruncate(fd, 0);
}

bool status_read(const char *instance, struct agent_status *status)
{
	struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	const int fd = open_file(instance, O_RDONLY);
	bool runs;

	*status = (struct agent_status){};
	if (fd < 0)
		return false;
	runs = !fcntl(fd, F_OFD_GETLK, &all) && all.l_type != F_UNLCK;
	if (runs && (pread(fd, status, sizeof(*status), 0) != sizeof(*status) ||
		     status->size != sizeof(*status)))
		*status = (struct agent_status){};
	close(fd);
	return runs && status->size;
}
