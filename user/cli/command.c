// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cluster/member.h"
#include "cmd/cmd.h"
#include "switch/session.h"

static bool has_object(const char *object)
{
	const struct command *c;

	for (c = commands; c->object; c++)
		if (!strcmp(c->object, object))
			return true;
	return false;
}

/*
 * The command that the words name, or NULL; *WORDS is how many words name it. A row without a verb
 * is the last of its object, because it matches any word that follows.
 */
static const struct command *find(int argc, char **argv, int *words)
{
	const struct command *c;

	for (c = commands; argc && c->object; c++) {
		if (strcmp(c->object, argv[0]))
			continue;
		*words = c->verb ? 2 : 1;
		if (!c->verb || (argc > 1 && !strcmp(c->verb, argv[1])))
			return c;
	}
	return NULL;
}

static const char *space(const char *text)
{
	return text && *text ? " " : "";
}

struct list {
	char text[256];
	size_t used;
};

static void list_add(struct list *list, const char *word)
{
	list->used += (size_t)snprintf(list->text + list->used, sizeof(list->text) - list->used,
				       "%s%s", list->used ? ", " : "", word);
	if (list->used >= sizeof(list->text))
		list->used = sizeof(list->text) - 1;
}

static int misuse_unknown(int argc, char **argv)
{
	struct list list = {};
	const struct command *c;

	/* `help nosuch`: the unknown word is the second. */
	if (argc > 1 && is_help(argv[0]))
		argc--, argv++;
	if (!has_object(argv[0])) {
		for (c = commands; c->object; c++)
			if (c == commands || strcmp(c->object, c[-1].object))
				list_add(&list, c->object);
		return misuse("%s is not one of %s", quoted(argv[0]), list.text);
	}
	for (c = commands; c->object; c++)
		if (!strcmp(c->object, argv[0]))
			list_add(&list, c->verb);
	if (argc < 2)
		return misuse("a verb is missing; use one of: %s", list.text);
	return misuse("%s is not one of %s", quoted(argv[1]), list.text);
}

const char *command_synopsis(const struct command *c)
{
	static _Thread_local char text[2048];
	const struct field *f;
	char word[64];
	size_t len;

	snprintf(text, sizeof(text), "%s", c->synopsis);
	for (f = c->words ? c->words->fields : NULL; f && f->key; f++) {
		if (f->kind < FIELD_ON || f->kind > FIELD_IF_OFF ||
		    !(c->takes & FIELD(f - c->words->fields)))
			continue;
		snprintf(word, sizeof(word), " [%s on|off]", field_word(f));
		len = strlen(text);
		if (!strstr(text, word + 1))
			snprintf(text + len, sizeof(text) - len, "%s", word);
	}
	return text;
}

static void add_usage(const struct command *c)
{
	const char *synopsis = command_synopsis(c);

	fail_more("; usage: tsw %s%s%s%s%s", c->object, space(c->verb), c->verb ? c->verb : "",
		  space(synopsis), synopsis);
}

/* A command without words also gets a vocabulary, but takes nothing of it. */
static const struct vocabulary *vocabulary(const struct command *c)
{
	return c->words ? c->words : &option_words;
}

static bool may_lack_name(const struct command *c)
{
	return c->name == NAME_NONE || c->name == NAME_MAY || c->name == NAME_TWO_MAY;
}

/* Reads the name or names after the tenant. */
static int read_second(const struct command *c, char *const **argv, struct words *w)
{
	int err;

	if (c->name == NAME_TWO_MAY && !**argv)
		return 0;
	if (!**argv)
		return misuse("the name after the tenant is missing");
	if (c->name == NAME_SEVERAL) {
		w->all = *argv;
		while (**argv)
			++*argv;
		return 0;
	}
	err = c->name == NAME_TWO_NEW ? parse_name(**argv, &w->second)
				      : parse_known_name(**argv, &w->second);
	++*argv;
	w->given |= W_SECOND;
	return err;
}

/* Reads the words after the verb that have no key. */
static int read_names(const struct command *c, char *const **argv, struct words *w)
{
	char *const *word = *argv;
	int err = 0;

	if (!may_lack_name(c) && !*word)
		err = misuse("the %s is missing", c->name == NAME_FILE ? "file" : "name");
	else if (c->name == NAME_FILE)
		w->file = *(*argv)++;
	else if (c->name == NAME_NEW)
		err = parse_name(*(*argv)++, &w->name);
	/* In `endpoint show tenant red` two words are a key and its value, not a name. */
	else if (c->name == NAME_MUST || c->name >= NAME_TWO ||
		 (c->name == NAME_MAY && *word && (!c->takes || !word[1] || word[2])))
		err = *word ? parse_known_name(*(*argv)++, &w->name) : 0;
	if (err)
		return err;
	if (w->name.s[0])
		w->given |= W_NAME;
	return c->name >= NAME_TWO ? read_second(c, argv, w) : 0;
}

static int read_words(const struct command *c, char *const *argv, bool cluster, struct words *w)
{
	__u64 takes = cluster ? c->takes | c->also : c->takes, missing;
	int err = read_names(c, &argv, w);

	if (err || (c->name == NAME_SEVERAL && !*argv))
		return err;
	err = words_read(argv, vocabulary(c), takes, w);
	missing = c->needs & ~w->given & ~(cluster ? c->chosen : 0);
	if (!err && missing)
		err = misuse("\"%s\" is missing",
			     field_word(&c->words->fields[__builtin_ctzll(missing)]));
	return err;
}

static int misuse_cluster(void)
{
	struct list list = {};
	const struct command *other, *last = NULL;

	for (other = commands; other->object; other++)
		if (other->cluster && (!last || strcmp(last->object, other->object))) {
			list_add(&list, other->object);
			last = other;
		}
	return misuse("not available with -c; use one of: %s", list.text);
}

int command_parse(int argc, char **argv, bool cluster, const struct command **command,
		  struct words *w)
{
	const struct command *c;
	int err, words;

	memset(w, 0, sizeof(*w));
	c = find(argc, argv, &words);
	if (!c)
		return misuse_unknown(argc, argv);
	w->kind = c->kind;
	*command = c;
	if (cluster && !c->cluster)
		return misuse_cluster();
	err = read_words(c, argv + words, cluster, w);
	if (err) {
		add_usage(c);
		return err;
	}
	return c->fit ? c->fit(w) : 0;
}

static bool changes(const struct command *c)
{
	return c->flags & COMMAND_WRITE || c->run == cmd_apply;
}

/* Objects that a cluster shares can be changed on one host only with -f; the agent undoes that. */
static int check_shared(const struct cli *cli, const struct command *c)
{
	if (!c->cluster || !changes(c) || cli->tsw.force || !member_is(cli->tsw.instance))
		return 0;
	return fail(
		EPERM,
		"this switch is a member of a cluster: change its records with tsw -c %s%s%s ... "
		"(-f changes only this host, until its agent undoes it)",
		c->object, space(c->verb), c->verb ? c->verb : "");
}

int command_run(struct cli *cli, const struct command *c, const struct words *w)
{
	int err;

	if (cli->cluster)
		return c->cluster(cli, w);
	err = check_shared(cli, c);
	if (err)
		return err;
	if (c->flags & COMMAND_OPEN)
		err = session_open(&cli->tsw);
	if (!err && c->flags & COMMAND_OPEN && !(c->flags & COMMAND_COUNT))
		err = session_flush(&cli->tsw);
	return err ?: c->run(cli, w);
}

/* How many of ARGC words after the verb are names. */
static int names_of(const struct command *c, int argc)
{
	if (c->name == NAME_NONE || (c->name == NAME_MAY && argc % 2 == 0))
		return 0;
	return c->name == NAME_SEVERAL ? argc : c->name >= NAME_TWO ? 2 : 1;
}

void command_text(int argc, char **argv, char *text, size_t len)
{
	const struct command *c;
	int words = 0, i, values; /* how many values come before the next key */
	size_t used = 0;

	c = find(argc, argv, &words);
	if (!c)
		words = argc && has_object(argv[0]) ? 1 : 0;
	values = c ? names_of(c, argc - words) : argc;
	*text = '\0';
	for (i = 0; i < argc && used + 1 < len; i++) {
		bool plain = i < words || !values;

		if (i >= words && !values)
			values = words_width(argv + i, vocabulary(c), c->takes);
		values -= i >= words;
		used += (size_t)snprintf(text + used, len - used, "%s%s", i ? " " : "",
					 plain ? escaped(argv[i]) : quoted(argv[i]));
	}
	if (used >= len)
		text_cut(text, len);
}

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
	const char *name = c->name == NAME_NONE ? "none" : may_lack_name(c) ? "may" : "must";

	return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:s*, s:o}", "object", c->object, "verb",
			 c->verb, "synopsis", command_synopsis(c), "help", c->help, "name", name,
			 "second", second_of(c), "keys",
			 words_json(vocabulary(c), c->takes, c->needs));
}

/* Prints the help of all commands, of those of OBJECT, or of that of OBJECT and VERB. */
static void print_help(struct cli *cli, const char *object, const char *verb)
{
	const struct command *c;
	const char *synopsis;

	if (cli->out.json)
		out_list_begin(&cli->out);
	for (c = commands; c->object; c++) {
		synopsis = command_synopsis(c);
		if ((object && strcmp(c->object, object)) ||
		    (verb && (!c->verb || strcmp(c->verb, verb))))
			continue;
		if (cli->out.json)
			out_item(&cli->out, help_json(c));
		else
			printf("  tsw %s%s%s%s%s\n        %s\n", c->object, space(c->verb),
			       c->verb ? c->verb : "", space(synopsis), synopsis, c->help);
	}
	if (cli->out.json)
		out_list_end(&cli->out);
}

static void usage(void)
{
	const struct option_help *o;

	printf("usage: tsw [OPTIONS] OBJECT VERB [NAME] [KEY VALUE]...\n"
	       "       tsw [OPTIONS] -b FILE|-\n"
	       "options:\n");
	for (o = option_helps; o->letter; o++)
		printf("  -%c %-8s %s\n", o->letter, o->value ? o->value : "", o->help);
	printf("commands:\n");
}

bool command_help(struct cli *cli, int argc, char **argv)
{
	int last, words = 0;

	/* `help tenant` is `tenant help`. */
	if (argc > 1 && is_help(argv[0])) {
		char *turned[] = {argv[1], argc > 2 ? argv[2] : argv[0], argv[0]};

		return !is_help(argv[1]) && argc < 4 && command_help(cli, argc, turned);
	}
	last = argc ? argc - 1 : 0;
	if (argc > 3 || (argc && !is_help(argv[last])) || (last > 0 && !has_object(argv[0])))
		return false;
	if (last > 1 && (!find(last, argv, &words) || words != last))
		return false;
	if (last < 1 && !cli->out.json)
		usage();
	print_help(cli, last > 0 ? argv[0] : NULL, last > 1 ? argv[1] : NULL);
	return true;
}
