// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch: a file of lines. The first octet: bit 0 is -f, bit 1 is -j, the rest which command
 * fails when it is run. No command is run: see __wrap_command_run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch.h"
#include "base/err.h"
#include "base/parse.h"
#include "fuzz.h"
#include "store/tsw.h"

struct expected {
	unsigned int good; /* lines that are commands */
	unsigned int bad;
	bool writes; /* one of those that are read */
};

static struct {
	unsigned int runs;
	unsigned int fails_at; /* 1: the first; 0: none */
	bool writes;
} now;

int __wrap_command_run(struct cli *cli, const struct command *command, const struct words *w);

int __wrap_command_run(struct cli *cli, const struct command *command, const struct words *w)
{
	now.runs++;
	MUST(cli->tsw.will_write == now.writes);
	MUST(!cli->tsw.force);
	must_be_whole(command, w);
	if (now.runs == now.fails_at)
		return fail(ENOENT, "there is no such thing");
	if (cli->out.json)
		out_object(&cli->out, json_object());
	return 0;
}

/* A line by itself, in memory that ends where the line does. */
static void expect_line(const char *start, size_t len, struct expected *e)
{
	const struct command *command;
	char *text = malloc(len + 1);
	struct line line = {};
	struct words w;
	int bad;

	memcpy(text, start, len);
	text[len] = '\0';
	bad = strlen(text) != len ? misuse("a NUL") : parse_line(text, &line);
	if (!bad && line.n) {
		bad = command_parse(line.n, line.word, false, &command, &w);
		if (!bad) {
			e->good++;
			e->writes |= !!(command->flags & COMMAND_WRITE);
			must_be_repeatable(command, &w, false, line.n, line.word);
		}
	}
	if (bad)
		must_have_failed(-failure()->code);
	e->bad += !!bad;
	line_free(&line);
	free(text);
}

static void expect(const char *text, size_t size, bool go_on, struct expected *e)
{
	const char *p = text, *end;

	for (; p < text + size; p = end + 1) {
		end = memchr(p, '\n', (size_t)(text + size - p));
		if (!end)
			end = text + size;
		expect_line(p, (size_t)(end - p), e);
		if (e->bad && !go_on)
			return;
	}
}

static int run(const char *text, size_t size, struct cli *cli, struct said *said)
{
	FILE *input = stdin;
	int status;

	/* fmemopen() takes no size of 0. */
	stdin = size ? fmemopen((char *)text, size, "r") : fopen("/dev/null", "re");
	if (!stdin)
		abort();
	hear(said);
	status = batch_run(cli, "-");
	hear_end();
	fclose(stdin);
	stdin = input;
	return status;
}

static unsigned int documents(const struct said *said)
{
	unsigned int n = 0;
	json_error_t error;
	size_t at = 0;

	while (at < said->out_len) {
		json_t *json = json_loadb(said->out + at, said->out_len - at,
					  JSON_DISABLE_EOF_CHECK, &error);

		MUST(json);
		json_decref(json);
		at += (size_t)error.position;
		MUST(said->out[at] == '\n');
		at++;
		n++;
	}
	return n;
}

static void check_all(const struct expected *e, int status, bool go_on, unsigned int messages)
{
	const bool fails = now.fails_at && now.runs >= now.fails_at;

	if (go_on) {
		MUST(now.runs == e->good);
		MUST(messages == e->bad + fails);
		MUST((status != EXIT_DONE) == (messages != 0));
	} else if (e->bad) {
		MUST(!now.runs);
		MUST(messages == 1);
		MUST(status == EXIT_MISUSE);
	} else {
		MUST(now.runs == (fails ? now.fails_at : e->good));
		MUST(messages == fails);
		MUST(status == (fails ? EXIT_CANNOT : EXIT_DONE));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct expected e = {};
	cleanup_said struct said said = {};
	struct cli cli = {.tsw.lock = -1};
	unsigned int messages = 0;
	const char *p;
	bool go_on;
	int status;

	if (!size)
		return 0;
	go_on = cli.tsw.force = data[0] & 1;
	cli.out.json = data[0] & 2;
	memset(&now, 0, sizeof(now));
	now.fails_at = (unsigned int)data[0] >> 2 & 7;
	expect(text, size - 1, go_on, &e);
	now.writes = e.writes;
	status = run(text, size - 1, &cli, &said);
	for (p = said.err; *p; p++)
		messages += *p == '\n';
	must_be_messages(&said, messages);
	check_all(&e, status, go_on, messages);
	if (cli.out.json)
		MUST(documents(&said) ==
		     messages + now.runs - (now.fails_at && now.runs >= now.fails_at));
	else
		MUST(!said.out_len);
	return 0;
}
