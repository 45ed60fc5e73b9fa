/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of commands. Usage, help and the reading of words follow from it. */
#ifndef TSW_COMMAND_H
#define TSW_COMMAND_H

#include "cli/cli.h"
#include "cli/words.h"

enum command_name {
	NAME_NONE,
	NAME_MAY,
	NAME_MUST,
	NAME_NEW,  /* must, of an object that the command makes */
	NAME_FILE, /* must, of a file */
	NAME_TWO,  /* a tenant and the name of something that it has */
	NAME_TWO_NEW,
	NAME_TWO_MAY, /* the second name, or both, may be left out */
	NAME_SEVERAL, /* a tenant and one or more names, with no key after them */
};

#define COMMAND_OPEN (1U << 0)	/* needs the switch open */
#define COMMAND_WRITE (1U << 1) /* changes it: under the lock */
#define COMMAND_COUNT (1U << 2) /* counts endpoints in memory; other commands write the counts */
#define COMMAND_ACT (1U << 3)	/* changes something, and opens the switch itself */
#define COMMAND_LIVE (1U << 4)	/* prints as it goes on, or has a screen of its own */

struct command {
	const char *object;
	const char *verb;     /* NULL: the object stands alone; its last row */
	const char *synopsis; /* words that are on or off may be left out: see command_synopsis() */
	const char *help;
	unsigned int flags;
	enum command_name name;
	const struct vocabulary *words; /* NULL: none */
	__u64 takes;			/* FIELD() of the words that it knows */
	__u64 needs;
	int (*fit)(struct words *w); /* checks that the words fit together; or NULL */
	int (*run)(struct cli *cli, const struct words *w);
	int (*cluster)(struct cli *cli, const struct words *w); /* the same with -c; or NULL */
	__u64 chosen;	       /* words of `needs` that -c chooses if they are missing */
	__u64 also;	       /* words that only -c takes */
	enum object_kind kind; /* that cmd_add() and the like are about */
};

extern const struct command commands[]; /* ends with a row without an object */

/* Its object and verb. One buffer, used again. */
const char *command_title(const struct command *c);

/* The synopsis with all words that are on or off. One buffer, used again. */
const char *command_synopsis(const struct command *c);

/* The synopsis of KEY alone; empty: the command lacks that key. One buffer, used again. */
const char *command_key_synopsis(const struct command *c, const struct field *key);

/* The words that it may take. A command without words gets a vocabulary, too. */
const struct vocabulary *command_words(const struct command *c);

/* How many names must follow the verb. */
int command_names(const struct command *c);

/*
 * Finds the command and reads its words, without looking at the switch. CLUSTER: it must be one
 * that works with -c.
 */
int command_parse(int argc, char **argv, bool cluster, const struct command **command,
		  struct words *w);

int command_run(struct cli *cli, const struct command *command, const struct words *w);

/* The request in one line, for a message: `tenant add "red" id "0"`. */
void command_text(int argc, char **argv, char *text, size_t len);

#endif
