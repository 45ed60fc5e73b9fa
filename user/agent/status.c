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
#include "base/problem.h"
#include "base/text.h"

static int open_file(const char *instance, int flags)
{
	char path[160];

	snprintf(path, sizeof(path), "/run/tsw/%s.agent", instance);
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static int refuse(const char *instance)
{
	return fail(EBUSY, "an agent already runs for switch %s", quoted(instance));
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
	return refuse(instance);
}

int status_look(const char *instance)
{
	struct agent_status unused;

	return status_read(instance, &unused) ? refuse(instance) : 0;
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

static void check_unreached(const struct unreached *u, json_t *problems)
{
	__u32 i;

	for (i = 0; i < u->n && i < UNREACHED_TOLD; i++)
		problem(problems, "unreached_host", u->told[i].name.s, "it " UNREACHED_WHY,
			addr_text(&u->told[i].addr));
	if (i < u->n)
		problem(problems, "unreached_host", "others", "so do %u more hosts", u->n - i);
}

void status_wake_path(const char *instance, char path[STATUS_WAKE_PATH])
{
	snprintf(path, STATUS_WAKE_PATH, "/run/tsw/%s", instance);
}

void status_wake(const char *instance)
{
	char path[STATUS_WAKE_PATH];

	status_wake_path(instance, path);
	utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

void status_check(const char *instance, json_t *problems, json_t *warnings)
{
	struct agent_status status;

	if (!status_read(instance, &status))
		return;
	if (status.orphans)
		problem(problems, "orphan_endpoint", "records",
			"containers of this host that are gone still have records in the cluster: "
			"%llu; the agent deletes them, see its log",
			(unsigned long long)status.orphans);
	check_unreached(&status.unreached, problems);
	if (*status.own)
		problem(problems, "host_record", instance, "%s", status.own);
	if (status.elsewhere)
		problem(warnings, "host_record", instance,
			"other hosts send to an address that an operator wrote into this host's "
			"record, and its switch has another one");
	if (status.unknown)
		problem(warnings, "unknown_host", instance,
			"%u tunnel frames in the last minute came from addresses that no host has: "
			"a host may have another address than its record",
			status.unknown);
	if (!status.connected)
		problem(warnings, "etcd", instance,
			"the agent cannot read the cluster's records, so changes do not come here: "
			"see its log");
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
