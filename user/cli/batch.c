// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/terminal.h"

struct batch {
	struct cli *cli;
	const char *file;
	char *text; /* the whole file, with a NUL behind it */
	size_t len;
	struct line line; /* the words of the current line */
	unsigned long number;
	unsigned long lines; /* in all */
	unsigned long done;
	bool failed; /* with -f: some line failed */
};

enum { LONGEST = 1 << 29 }; /* octets: enough to add as many endpoints as a switch can have */

static int read_all(struct batch *b, FILE *f)
{
	size_t room = 0, n;

	do {
		if (room - b->len < BUFSIZ + 1) {
			char *grown = realloc(b->text, room = room * 2 + 2 * BUFSIZ);

			if (!grown)
				return fail_memory();
			b->text = grown;
		}
		n = fread(b->text + b->len, 1, BUFSIZ, f);
		b->len += n;
	} while (n && b->len <= LONGEST);
	if (n)
		return fail(EFBIG, "%s is longer than %u MiB", quoted(b->file), LONGEST >> 20);
	b->text[b->len] = '\0';
	return ferror(f) ? fail(EIO, "cannot read %s", quoted(b->file)) : 0;
}

static int read_file(struct batch *b)
{
	FILE *f = strcmp(b->file, "-") ? fopen(b->file, "re") : stdin;
	int err;

	if (!f)
		return fail(errno, "cannot open %s: %s", quoted(b->file), strerror(errno));
	err = read_all(b, f);
	if (f != stdin)
		fclose(f);
	return err;
}

static void report_line(struct batch *b)
{
	char where[256];

	snprintf(where, sizeof(where), "%s: line %lu", escaped(b->file), b->number);
	report(b->cli, where, b->line.n, b->line.word);
}

/* Checks one line; RUN: also runs it. */
static int do_line(struct batch *b, char *text, size_t len, bool run)
{
	const struct command *command;
	struct words words;
	int err = 0;

	b->line.n = 0;
	if (strlen(text) != len)
		err = misuse("the line contains a NUL");
	err = err ?: parse_line(text, &b->line);
	if (err || !b->line.n)
		return err;
	err = command_parse(b->line.n, b->line.word, b->cli->cluster, &command, &words);
	if (err || !run) {
		if (!err && command->flags & COMMAND_WRITE && !b->cli->changes_nothing)
			b->cli->tsw.will_write = true;
		return err;
	}
	err = command_run(b->cli, command, &words);
	if (!err)
		b->done++;
	return err;
}

/* Goes through all lines once. Splitting a line changes it, so this works on a copy. */
static int pass(struct batch *b, bool run, bool go_on)
{
	char *copy = malloc(b->len + 1), *end, *p;
	int err = 0;

	if (!copy) {
		err = fail_memory();
		report(b->cli, NULL, 0, NULL);
		return err;
	}
	memcpy(copy, b->text, b->len + 1);
	b->number = 0;
	for (p = copy; p < copy + b->len; p = end + 1) {
		end = memchr(p, '\n', (size_t)(copy + b->len - p));
		if (!end)
			end = copy + b->len;
		*end = '\0';
		b->number++;
		progress_count(b->number, b->lines);
		err = do_line(b, p, (size_t)(end - p), run);
		if (err && !go_on)
			break;
		if (err && run) {
			report_line(b);
			b->failed = true;
		}
		err = 0;
	}
	if (err) {
		if (run)
			fail_more("; %lu commands before it are done", b->done);
		else
			fail_more("; nothing was done");
		report_line(b);
	}
	free(copy);
	return err;
}

int batch_run(struct cli *cli, const char *file)
{
	struct batch b = {.cli = cli, .file = file};
	bool go_on = cli->tsw.force;
	int err = read_file(&b);

	cli->tsw.force = false; /* here -f means the batch, not its commands */

	if (err) {
		report(cli, NULL, 0, NULL);
	} else {
		if (cli->tsw.log.notes)
			progress_begin(escaped(file));
		err = pass(&b, false, go_on);
		b.lines = b.number;
		err = err ?: pass(&b, true, go_on);
	}
	line_free(&b.line);
	free(b.text);
	if (err)
		return failure()->status;
	return b.failed ? EXIT_CANNOT : EXIT_DONE;
}
