/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of commands: usage, help and the reading of words all come from it. */
#ifndef TSW_COMMAND_H
#define TSW_COMMAND_H

#include "cli/cli.h"
#include "cli/words.h"

enum command_name {
	NAME_NONE,
	NAME_MAY,
	NAME_MUST,
	NAME_NEW,  /* must, and is given to something here */
	NAME_FILE, /* must, and is a file's */
	NAME_TWO,  /* a tenant's, and that of something that it has */
	NAME_TWO_NEW,
	NAME_TWO_MAY, /* the second, or both, may be left out */
	NAME_SEVERAL, /* a tenant's and one or more others, and nothing behind them */
};

#define COMMAND_OPEN (1U << 0)	/* needs the switch open */
#define COMMAND_WRITE (1U << 1) /* changes it: under the lock */
#define COMMAND_COUNT (1U << 2) /* counts endpoints; all others see the counts written */

struct command {
	const char *object;
	const char *verb; /* NULL: the object alone; the last of its rows */
	const char *synopsis;
	const char *help;
	unsigned int flags;
	enum command_name name;
	const struct vocabulary *words; /* NULL: none */
	__u64 takes;			/* FIELD() of them */
	__u64 needs;
	int (*fit)(struct words *w); /* do the words fit together; or NULL */
	int (*run)(struct cli *cli, const struct words *w);
	int (*cluster)(struct cli *cli, const struct words *w); /* the same with -c; or NULL */
	__u64 chosen;	       /* of `needs`, what is chosen with -c where it is not said */
	__u64 also;	       /* what -c takes besides */
	enum object_kind kind; /* that cmd_add() and the like are about */
};

extern const struct command commands[]; /* ended by one without an object */

/*
 * Finds the command and reads its words: nothing but their text is looked at. CLUSTER: it is to be
 * one that the cluster's records have.
 */
int command_parse(int argc, char **argv, bool cluster, const struct command **command,
		  struct words *w);

int command_run(struct cli *cli, const struct command *command, const struct words *w);

/* What was asked, in one line for a message: `tenant add "red" id "0"`. */
void command_text(int argc, char **argv, char *text, size_t len);

/* The words ask for help, at some level: prints it. */
bool command_help(struct cli *cli, int argc, char **argv);

#endif
