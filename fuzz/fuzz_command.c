// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line, from main() down to where a command would be run. Input: a word a line; a NUL
 * stands for a newline in a word. Nothing is run, and no namespace entered: see __wrap_*.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch.h"
#include "base/err.h"
#include "fuzz.h"
#include "kernel/netns.h"
#include "cli/report.h"
#include "switch/session.h"
#include "base/text.h"
#include "store/tsw.h"

enum { WORDS = 160 };

/* user/cli/main.c's main. */
int tsw_main(int argc, char **argv);

/* What this input came to. */
static struct {
	int argc;
	char **argv;
	unsigned int runs;
	unsigned int reports;
	bool json;
	bool refuse; /* the command is found to be impossible */
	bool entered;
} now;

int __wrap_command_run(struct cli *cli, const struct command *command, const struct words *w);
int __wrap_batch_run(struct cli *cli, const char *file);
int __wrap_netns_enter(const char *name);
void __wrap_report(struct cli *cli, const char *where, int argc, char **argv);
void __real_report(struct cli *cli, const char *where, int argc, char **argv);

int __wrap_command_run(struct cli *cli, const struct command *command, const struct words *w)
{
	now.runs++;
	MUST(cli->tsw.will_write == (command->flags & COMMAND_WRITE && !cli->changes_nothing));
	MUST(!cli->tsw.netns == !now.entered);
	must_be_whole(command, w);
	must_be_repeatable(command, w, cli->cluster, now.argc - optind, now.argv + optind);
	if (now.refuse)
		return fail(ENOENT, "there is no such thing");
	if (cli->out.json)
		out_object(&cli->out, json_object());
	return 0;
}

int __wrap_batch_run(struct cli *cli, const char *file)
{
	now.runs++;
	MUST(file);
	MUST(optind == now.argc);
	if (!now.refuse)
		return EXIT_DONE;
	fail(ENOENT, "there is no such thing");
	report(cli, NULL, 0, NULL);
	return EXIT_CANNOT;
}

int __wrap_netns_enter(const char *name)
{
	MUST(!now.runs);
	now.entered = true;
	return now.refuse ? fail(ENOENT, "there is no namespace %s", quoted(name)) : 0;
}

void __wrap_report(struct cli *cli, const char *where, int argc, char **argv)
{
	now.reports++;
	now.json = cli->out.json;
	__real_report(cli, where, argc, argv);
}

/* In bounds for each length, and the beginning of the whole. */
static void must_fit(int argc, char **argv)
{
	char whole[16384], *part;
	size_t len;

	command_text(argc, argv, whole, sizeof(whole));
	MUST(is_printable(whole, strlen(whole)));
	for (len = 8; len < 200; len += 37) {
		part = malloc(len);
		command_text(argc, argv, part, len);
		MUST(strlen(part) < len);
		MUST(is_printable(part, strlen(part)));
		if (strlen(whole) < len)
			MUST(!strcmp(part, whole));
		free(part);
	}
}

static void run(int argc, char **argv)
{
	cleanup_said struct said said = {};
	int status;

	optind = 0; /* getopt starts anew */
	hear(&said);
	status = tsw_main(argc, argv);
	hear_end();

	MUST(status == EXIT_DONE || status == EXIT_CANNOT || status == EXIT_MISUSE);
	MUST(now.runs <= 1);
	/* Without a command it prints ten lines of help, which are no message. */
	if (status == EXIT_MISUSE && !now.reports) {
		MUST(optind == argc && !said.out_len && said.err_len);
		return;
	}
	MUST(now.reports == (status != EXIT_DONE));
	MUST(status != EXIT_MISUSE || !now.runs);
	must_be_messages(&said, now.reports);
	if (now.reports && now.json)
		must_be_json(&said, true);
	else if (now.reports)
		MUST(!said.out_len);
	else if (!now.runs)
		MUST(said.out_len);
	if (said.out_len && strchr("[{", said.out[0]))
		must_be_json(&said, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *p, *argv[WORDS + 1];
	int argc = 0;
	size_t i;

	memcpy(text, data, size);
	text[size] = '\0';
	argv[argc++] = (char[]){"tsw"};
	for (p = text; p && p < text + size && argc < WORDS;) {
		argv[argc++] = p;
		p = memchr(p, '\n', (size_t)(text + size - p));
		if (p)
			*p++ = '\0';
		for (i = 0; argv[argc - 1] + i < (p ? p - 1 : text + size); i++)
			if (!argv[argc - 1][i])
				argv[argc - 1][i] = '\n';
	}
	argv[argc] = NULL;
	memset(&now, 0, sizeof(now));
	now.argc = argc;
	now.argv = argv;
	now.refuse = size % 3 == 0;
	must_fit(argc - 1, argv + 1);
	run(argc, argv);
	free(text);
	return 0;
}
