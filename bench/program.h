/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs that measure share: the command line, the clock, and the end by a signal. */
#ifndef TSW_BENCH_PROGRAM_H
#define TSW_BENCH_PROGRAM_H

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/field.h"
#include "base/parse.h"
#include "base/text.h"

struct program {
	const char *name, *usage;
	const struct field *fields; /* KEY VALUE words, of a structure of options */
	__u64 needed;		    /* FIELD()s that must be given */
	int (*run)(void *options, __u64 given);
};

static volatile sig_atomic_t stopped;

static inline void on_signal(int signal)
{
	stopped = signal;
}

/* Seconds. */
static inline double now(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

static inline int program_read(const struct program *p, char **arg, void *options, __u64 *given)
{
	const struct field *f;
	int err;

	for (; *arg; arg += 2) {
		for (f = p->fields; f->key && !field_is_word(f, *arg);)
			f++;
		if (!f->key)
			return misuse("%s is unknown here", quoted(arg[0]));
		if (!arg[1])
			return misuse("%s needs a value", quoted(arg[0]));
		if (*given & FIELD(f - p->fields))
			return misuse("%s is there twice", quoted(arg[0]));
		*given |= FIELD(f - p->fields);
		err = field_read(f, arg[1], options);
		if (err)
			return err;
	}
	for (f = p->fields; f->key; f++)
		if (p->needed & ~*given & FIELD(f - p->fields))
			return misuse("%s is missing", quoted(f->key));
	return 0;
}

static inline int program_main(const struct program *p, char **argv, void *options)
{
	__u64 given = 0;
	int err;

	if (!argv[1] || is_help(argv[1])) {
		fputs(p->usage, argv[1] ? stdout : stderr);
		return argv[1] ? EXIT_DONE : EXIT_MISUSE;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	err = program_read(p, argv + 1, options, &given);
	if (!err)
		err = p->run(options, given);
	if (err)
		fprintf(stderr, "%s: %s\n", p->name, failure()->text);
	return err ? failure()->status : EXIT_DONE;
}

#endif
