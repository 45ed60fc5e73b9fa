// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "tools/doctor/gather.h"

enum { CANNOT_RUN = 127, OPTION_LEN = 160 };

/* In the child. The parent's signals do not reach it where it is killed, so it ends with it. */
static void become(char *const *argv, int out, int errors)
{
	const int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("LC_ALL", "C", 1);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(errors, STDERR_FILENO) < 0)
		_exit(CANNOT_RUN);
	execvp(*argv, argv);
	dprintf(STDERR_FILENO, "%s: %s\n", *argv, strerror(errno));
	_exit(CANNOT_RUN);
}

/* Waits for the child, and kills it after GATHER_SECONDS. *STATUS as waitpid(2) has it. */
static bool ends(pid_t child, int *status)
{
	const int fd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	const bool in_time = fd < 0 || poll(&ended, 1, GATHER_SECONDS * 1000) != 0;

	if (!in_time)
		kill(child, SIGKILL);
	if (fd >= 0)
		close(fd);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return in_time;
}

int gather_run(char *const *argv, int out)
{
	const pid_t child = fork();
	int status = 0;

	if (child < 0)
		return fail(errno, "cannot start %s: %s", *argv, strerror(errno));
	if (!child)
		become(argv, out, out);
	if (!ends(child, &status))
		dprintf(out, "\nended after %d s\n", GATHER_SECONDS);
	else if (WIFSIGNALED(status))
		dprintf(out, "\nended by signal %d\n", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		dprintf(out, "\nexit status %d\n", WEXITSTATUS(status));
	return 0;
}

/* tar reads the files where /proc shows them, and gives them their names. */
static void exec_tar(const struct gathered *all, unsigned int n, const char *top, int out)
{
	static char format[] = "--format=ustar", owner[] = "--owner=0", group[] = "--group=0",
		    mode[] = "--mode=0600", create[] = "-cPh", tar[] = "tar";
	char **argv = calloc(2 * n + 8, sizeof(*argv)), (*text)[OPTION_LEN];
	unsigned int i, used = 0;

	text = calloc(2 * n, sizeof(*text));
	if (!argv || !text)
		_exit(CANNOT_RUN);
	argv[used++] = tar;
	argv[used++] = create;
	argv[used++] = format;
	argv[used++] = owner;
	argv[used++] = group;
	argv[used++] = mode;
	for (i = 0; i < n; i++) {
		fcntl(all[i].fd, F_SETFD, 0);
		snprintf(text[2 * i], OPTION_LEN, "--transform=s,^/proc/self/fd/%d$,%s/%s,",
			 all[i].fd, top, all[i].name);
		snprintf(text[2 * i + 1], OPTION_LEN, "/proc/self/fd/%d", all[i].fd);
		argv[used++] = text[2 * i];
	}
	for (i = 0; i < n; i++)
		argv[used++] = text[2 * i + 1];
	become(argv, out, STDERR_FILENO);
}

int gather_tar(const struct gathered *all, unsigned int n, const char *top, int out)
{
	const pid_t child = fork();
	int status = 0;

	if (child < 0)
		return fail(errno, "cannot start tar: %s", strerror(errno));
	if (!child)
		exec_tar(all, n, top, out);
	if (ends(child, &status) && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return fail(EIO, "tar could not write all: is there room on the disk?");
}
