// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command tsw: main() and its options. cli/command_table.c has the commands, and cli/command.c
 * runs them.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/near.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/arrange.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cluster/record.h"
#include "cmd/cmd.h"
#include "cmd/dry_run.h"
#include "switch/session.h"

enum { WAIT_MOST = 86400, LONG_OPTIONS = 16 };

struct options {
	const char *batch;
	bool help;
	bool version;
	int verbose; /* -v, -vv */
};

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static int misuse_long_option(const char *word)
{
	struct near near = {.word = word + 2};
	const struct option_help *o;

	for (o = option_helps; o->help; o++)
		if (o->word)
			near_look(&near, o->word);
	misuse("option %s is unknown", quoted(word));
	if (*near.best)
		fail_more("; did you mean --%s?", near.best);
	else
		fail_more("; see: tsw help");
	return -failure()->code;
}

/* Whether the option with this letter is also a word; ? stands for an unknown one. */
static bool is_also_word(int letter)
{
	const struct option_help *o;

	for (o = option_helps; o->help; o++)
		if (o->word && o->letter == letter)
			return true;
	return letter == '?';
}

/* WORD has the option in it. LETTER is its letter, or 0 for an unknown long option. */
static int misuse_option(int option, int letter, const char *word)
{
	const char text[] = {'-', (char)letter, '\0'};

	if (option == ':')
		return misuse("option %s needs a value; see: tsw help", quoted(text));
	if (!letter || (is_also_word(letter) && !strncmp(word, "--", 2)))
		return misuse_long_option(word);
	return misuse("option %s is unknown; see: tsw help", quoted(text));
}

static int read_option(struct cli *cli, struct options *o, int option, char **argv)
{
	struct tsw *t = &cli->tsw;

	switch (option) {
	case 'n':
		t->netns = optarg;
		return 0;
	case 'i':
		t->instance = optarg;
		t->named = true;
		return 0;
	case 'b':
		o->batch = optarg;
		return 0;
	case 'w':
		return parse_seconds(optarg, WAIT_MOST, &t->wait_ms);
	case 'c':
		cli->cluster = true;
		return 0;
	case 'p':
		cli->out.pretty = true; /* fall through */
	case 'j':
		cli->out.json = true;
		return 0;
	case 's':
		cli->counters = true;
		return 0;
	case 'q':
		t->log.notes = false;
		return 0;
	case 'f':
		t->force = true;
		return 0;
	case 'v':
		o->verbose++;
		t->log.details = true;
		return 0;
	case 'V':
		o->version = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	case OPTION_CHANGES_NOTHING:
		cli->changes_nothing = true;
		return 0;
	}
	return misuse_option(option, optopt, argv[optind - 1]);
}

/* Reads on after an error, because a later -j decides the error's form. */
static int read_options(struct cli *cli, struct options *o, int argc, char **argv)
{
	struct option words[LONG_OPTIONS];
	struct failure first = {};
	char letters[64];
	int option, word;

	if (arrange_options(argc, argv))
		first = *failure();
	options_letters("+:", letters, sizeof(letters));
	options_words(words, LONG_OPTIONS);
	opterr = 0;
	while (word = -1, (option = getopt_long(argc, argv, letters, words, &word)) != -1) {
		/* getopt accepts abbreviated words; this command does not. */
		if (word >= 0 && strcmp(argv[optind - 1] + 2, words[word].name))
			option = optopt = '?';
		if (read_option(cli, o, option, argv) && !first.code)
			first = *failure();
	}
	return first.code ? fail_again(&first) : 0;
}

static int run_one(struct cli *cli, int argc, char **argv)
{
	const struct command *command;
	struct words words;
	int err = command_parse(argc, argv, cli->cluster, &command, &words);

	if (err)
		return err;
	cli->tsw.will_write = command->flags & COMMAND_WRITE && !cli->changes_nothing;
	if (cli->tsw.log.notes && !(command->flags & COMMAND_LIVE))
		progress_begin(command_title(command));
	return command_run(cli, command, &words);
}

/* Version and help need neither a switch nor a namespace. Returns whether they were asked for. */
static bool run_info(struct cli *cli, const struct options *o, int argc, char **argv)
{
	if (o->version)
		return !cmd_version(cli, NULL);
	return argc && !o->batch && !o->help && help_asked(cli, argc, argv);
}

static int no_command(struct cli *cli)
{
	misuse("no command; see: tsw help");
	if (cli->out.json)
		report(cli, NULL, 0, NULL);
	else
		help_brief(stderr);
	return EXIT_MISUSE;
}

/* Returns the exit status. A batch reports its errors itself, line by line. */
static int run(struct cli *cli, const struct options *o, int argc, char **argv)
{
	int err;

	if (run_info(cli, o, argc, argv))
		return EXIT_DONE;
	if (o->batch && argc)
		err = misuse("give either -b or a command, not both");
	else if (o->help)
		err = help_of(cli, argc, argv);
	else if (!o->batch && !argc)
		return no_command(cli);
	else
		err = session_enter(&cli->tsw);
	if (!err && o->help)
		return EXIT_DONE;
	if (!err && o->batch)
		return batch_run(cli, o->batch);
	err = err ?: run_one(cli, argc, argv);
	if (!err)
		return EXIT_DONE;
	report(cli, NULL, argc, argv);
	return failure()->status;
}

/* A file must not get the number of a closed standard stream, or output would go into it. */
static void fill_closed_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Notes and details go to stderr, as errors do. */
static void print_line(void *context, enum tsw_log level, const char *text)
{
	(void)context, (void)level;
	progress_clear();
	fprintf(stderr, "tsw: %s\n", text);
}

int main(int argc, char **argv)
{
	struct cli cli = {.tsw = TSW_CLOSED};
	struct options o = {};
	int status;

	cli.tsw.log = (struct log){.line = print_line, .notes = true};
	fill_closed_streams();
	if (read_options(&cli, &o, argc, argv)) {
		report(&cli, NULL, 0, NULL);
		return failure()->status;
	}
	libbpf_set_print(o.verbose > 1 ? print_libbpf : print_nothing);
	status = run(&cli, &o, argc - optind, argv + optind);
	progress_end();
	session_close(&cli.tsw);
	dry_free(&cli);
	records_close(cli.records);
	if (out_flush() && status == EXIT_DONE) {
		report(&cli, NULL, 0, NULL);
		return EXIT_CANNOT;
	}
	return status == EXIT_DONE && cli.bad ? EXIT_CANNOT : status;
}
