// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/parse.h"
#include "cli/find.h"
#include "cli/help.h"
#include "cli/options.h"

static const char *second_of(const struct command *c)
{
	return c->name == NAME_SEVERAL	 ? "several"
	       : c->name == NAME_TWO_MAY ? "may"
	       : c->name >= NAME_TWO	 ? "must"
					 : NULL;
}

/* `name` says whether a word without a key follows. The synopsis begins with that word. */
static json_t *help_json(const struct command *c)
{
	const char *name = c->name == NAME_NONE ? "none" : command_names(c) ? "must" : "may";

	return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:s*, s:o, s:s}", "object", c->object, "verb",
			 c->verb, "synopsis", command_synopsis(c), "help", c->help, "name", name,
			 "second", second_of(c), "keys",
			 words_json(command_words(c), c->takes, c->needs), "example",
			 help_example(c));
}

static void print_command(const struct command *c)
{
	const char *synopsis = command_synopsis(c);

	printf("  tsw %s%s%s\n        %s\n", command_title(c), *synopsis ? " " : "", synopsis,
	       c->help);
}

static bool is_of(const struct command *c, const char *object, const struct command *one)
{
	return one ? c == one : !object || !strcmp(c->object, object);
}

/* Prints the help of all commands, of those of OBJECT, or of ONE. */
static void print_help(struct cli *cli, const char *object, const struct command *one)
{
	const struct command *c;

	if (cli->out.json)
		out_list_begin(&cli->out);
	for (c = commands; c->object; c++) {
		if (!is_of(c, object, one))
			continue;
		if (cli->out.json)
			out_item(&cli->out, help_json(c));
		else
			print_command(c);
	}
	if (cli->out.json)
		out_list_end(&cli->out);
}

static void usage(void)
{
	const struct option_help *o;

	printf("example: tsw switch up dev eth0\n"
	       "example: tsw endpoint add web tenant red mac auto ip 10.0.0.2 dev veth1\n"
	       "usage: tsw [OPTIONS] OBJECT VERB [NAME] [KEY VALUE]...\n"
	       "       tsw [OPTIONS] -b FILE|-\n"
	       "OBJECT and VERB may be shortened; list, ls and delete are show and del\n"
	       "options:\n");
	for (o = option_helps; o->help; o++)
		printf("  %-12s %s\n", option_text(o), o->help);
	printf("commands:\n");
}

static void print_level(struct cli *cli, const char *object, const struct command *one)
{
	const struct command *c = commands;

	while (object && !is_of(c, object, one))
		c++;
	if (!cli->out.json && object)
		printf("example: tsw %s\n", help_example(c));
	else if (!cli->out.json)
		usage();
	print_help(cli, object, one);
}

bool help_asked(struct cli *cli, int argc, char **argv)
{
	const struct command *c = NULL;
	int last, words = 0;

	/* `help tenant` is `tenant help`. */
	if (argc > 1 && is_help(argv[0])) {
		char *turned[] = {argv[1], argc > 2 ? argv[2] : argv[0], argv[0]};

		return !is_help(argv[1]) && argc < 4 && help_asked(cli, argc, turned);
	}
	last = argc ? argc - 1 : 0;
	if (!argc || argc > 3 || !is_help(argv[last]) || (last && !find_object(argv[0])))
		return false;
	if (last > 1)
		c = find_command(last, argv, &words);
	if (last > 1 && (!c || words != last))
		return false;
	print_level(cli, last ? find_object(argv[0]) : NULL, c);
	return true;
}

int help_of(struct cli *cli, int argc, char **argv)
{
	int words = 0;
	const char *object = argc ? find_object(argv[0]) : NULL;
	const struct command *c = find_command(argc, argv, &words);

	if (argc && !object)
		return misuse_unknown(argc, argv);
	print_level(cli, object, words == 2 ? c : NULL);
	return 0;
}

enum { WIDTH = 78 };

/* Prints all objects in lines. */
static void print_objects(FILE *f)
{
	const struct command *c, *last = NULL;
	int used = fprintf(f, "commands:");

	for (c = commands; c->object; c++) {
		if (last && !strcmp(last->object, c->object))
			continue;
		last = c;
		if (used + 1 + strlen(c->object) > WIDTH) {
			fprintf(f, "\n         ");
			used = 9;
		}
		used += fprintf(f, " %s", c->object);
	}
	fprintf(f, "\n");
}

void help_brief(FILE *f)
{
	fprintf(f, "tsw: a switch for tenants' containers and VMs\n"
		   "usage: tsw [OPTIONS] OBJECT VERB [NAME] [KEY VALUE]...\n"
		   "  tsw switch up dev eth0\n"
		   "  tsw endpoint add web tenant red mac auto ip 10.0.0.2 dev veth1\n");
	print_objects(f);
	fprintf(f, "words may be shortened: tsw ten sh; options: -j JSON, -c cluster, -n NETNS\n"
		   "help: tsw help; tsw tenant help; tsw tenant add help; man tsw\n");
}
