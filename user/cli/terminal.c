// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal.h"

const char *colour(FILE *f, enum colour c)
{
	static const char *const sequences[] = {
		[COLOUR_NONE] = "\033[0m",
		[COLOUR_GOOD] = "\033[32m",
		[COLOUR_DOUBTFUL] = "\033[33m",
		[COLOUR_BAD] = "\033[31m",
	};
	const char *forbidden = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!isatty(fileno(f)) || (forbidden && *forbidden) || !term || !strcmp(term, "dumb"))
		return "";
	return sequences[c];
}

/* A thread prints the line: the command may wait in any system call. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t end;
	char what[64];
	unsigned long done, of;
	bool runs, ends, shown;
	bool waits; /* the command prints */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

static void clear(void)
{
	if (progress.shown)
		fprintf(stderr, "\r\033[K");
	progress.shown = false;
}

static void show(unsigned int seconds)
{
	if (progress.of)
		fprintf(stderr, "\r\033[Ktsw: %s: %lu of %lu, %u s", progress.what, progress.done,
			progress.of, seconds);
	else
		fprintf(stderr, "\r\033[Ktsw: %s: %u s", progress.what, seconds);
	progress.shown = true;
}

static void *print(void *unused)
{
	struct timespec next;
	unsigned int seconds = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&progress.lock);
	next.tv_sec++;
	while (!progress.ends) {
		if (!pthread_cond_clockwait(&progress.end, &progress.lock, CLOCK_MONOTONIC, &next))
			continue;
		seconds++;
		if (!progress.waits)
			show(seconds);
		next.tv_sec++;
	}
	pthread_mutex_unlock(&progress.lock);
	return unused;
}

void progress_begin(const char *what)
{
	sigset_t all, old;

	if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO))
		return;
	/* Or what the command prints would stand behind the line. */
	setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
	snprintf(progress.what, sizeof(progress.what), "%s", what);
	/* Signals are for the command's own thread, which waits for some of them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	progress.runs = !pthread_create(&progress.thread, NULL, print, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void progress_count(unsigned long done, unsigned long of)
{
	pthread_mutex_lock(&progress.lock);
	if (progress.waits)
		fflush(stdout);
	progress.waits = false;
	progress.done = done;
	progress.of = of;
	pthread_mutex_unlock(&progress.lock);
}

void progress_clear(void)
{
	pthread_mutex_lock(&progress.lock);
	clear();
	pthread_mutex_unlock(&progress.lock);
}

void progress_wait(void)
{
	pthread_mutex_lock(&progress.lock);
	clear();
	progress.waits = true;
	pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
	if (!progress.runs)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.ends = true;
	pthread_cond_signal(&progress.end);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	clear();
	progress.runs = false;
}
