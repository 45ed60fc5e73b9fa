// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/find.h"
#include "cluster/member.h"
#include "cmd/cmd.h"
#include "cmd/dry_run.h"
#include "switch/session.h"

const char *command_title(const struct command *c)
{
	static _Thread_local char text[64];

	snprintf(text, sizeof(text), "%s%s%s", c->object, c->verb ? " " : "",
		 c->verb ? c->verb : "");
	return text;
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

/* Where TEXT has WORD whole; or NULL. */
static const char *whole_word(const char *text, const char *word)
{
	const size_t len = strlen(word);
	const char *at;

	for (at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || strchr(" [(", at[-1])) && (!at[len] || strchr(" ])", at[len])))
			return at;
	return NULL;
}

const char *command_key_synopsis(const struct command *c, const struct field *key)
{
	const char *text = command_synopsis(c), *word = field_word(key);
	const char *at = whole_word(text, word), *end;
	const bool optional = at && at > text && at[-1] == '[';
	static _Thread_local char part[256];
	int depth = 0;

	if (!at)
		return "";
	/* An optional part ends at its bracket, another one behind the key's word or list. */
	for (end = at; *end && depth >= 0; end++) {
		depth += (*end == '[' || *end == '(') - (*end == ']' || *end == ')');
		if (*end == ' ' && !depth && !optional && end > at + strlen(word))
			depth = -1;
	}
	snprintf(part, sizeof(part), "%.*s", (int)(end - at) - (depth < 0), at);
	return part;
}

const struct vocabulary *command_words(const struct command *c)
{
	return c->words ? c->words : &option_words;
}

int command_names(const struct command *c)
{
	switch (c->name) {
	case NAME_NONE:
	case NAME_MAY:
	case NAME_TWO_MAY:
		return 0;
	case NAME_TWO:
	case NAME_TWO_NEW:
	case NAME_SEVERAL:
		return 2;
	default:
		return 1;
	}
}

/* Reads the name or names after the tenant. */
static int read_second(const struct command *c, char *const **argv, struct words *w)
{
	int err;

	if (c->name == NAME_TWO_MAY && !**argv)
		return 0;
	w->unlike = !**argv;
	if (w->unlike)
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

static size_t count(char *const *word)
{
	size_t n = 0;

	while (word[n])
		n++;
	return n;
}

/* Reads the words after the verb that have no key. */
static int read_names(const struct command *c, char *const **argv, struct words *w)
{
	char *const *word = *argv;
	int err = 0;

	w->unlike = command_names(c) && !*word;
	if (w->unlike)
		err = misuse("the %s is missing", c->name == NAME_FILE ? "file" : "name");
	else if (c->name == NAME_FILE)
		w->file = *(*argv)++;
	else if (c->name == NAME_NEW)
		err = parse_name(*(*argv)++, &w->name);
	/* In `endpoint show tenant red` two words are a key and its value, not a name. */
	else if (c->name == NAME_MUST || c->name >= NAME_TWO ||
		 (c->name == NAME_MAY && *word && (!c->takes || count(word) % 2)))
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
	err = words_read(argv, command_words(c), takes, w);
	missing = c->needs & ~w->given & ~(cluster ? c->chosen : 0);
	if (!err && missing) {
		w->lacks = &c->words->fields[__builtin_ctzll(missing)];
		err = misuse("\"%s\" is missing", field_word(w->lacks));
	}
	return err;
}

/* Adds the synopsis of the key whose value is missing; for an unknown word, the help to read. */
static int add_usage(const struct command *c, const struct words *w)
{
	const char *usage = w->lacks ? command_key_synopsis(c, w->lacks) : "";

	if (*usage)
		fail_more(": %s", usage);
	else if (w->unlike)
		fail_more("; see: tsw %s help", command_title(c));
	return -failure()->code;
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
	c = find_command(argc, argv, &words);
	if (!c)
		return misuse_unknown(argc, argv);
	w->kind = c->kind;
	*command = c;
	if (cluster && !c->cluster)
		return misuse_cluster();
	err = read_words(c, argv + words, cluster, w);
	if (err)
		return add_usage(c, w);
	return c->fit ? c->fit(w) : 0;
}

static bool changes(const struct command *c)
{
	return c->flags & (COMMAND_WRITE | COMMAND_ACT);
}

/* An object's command has a backend, which a dry run replaces. */
static bool is_of_object(const struct command *c)
{
	return c->run == cmd_add || c->run == cmd_replace || c->run == cmd_set || c->run == cmd_del;
}

/* Objects that a cluster shares can be changed on one host only with -f; the agent undoes that. */
static int check_shared(const struct cli *cli, const struct command *c)
{
	if (!c->cluster || c->cluster == cmd_cluster_import || !changes(c) || cli->tsw.force ||
	    !member_is(cli->tsw.instance))
		return 0;
	return fail(EPERM,
		    "this switch is a member of a cluster: change its records with tsw -c %s ... "
		    "(-f changes only this host, until its agent undoes it)",
		    command_title(c));
}

int command_run(struct cli *cli, const struct command *c, const struct words *w)
{
	int err;

	if (cli->cluster && (!cli->changes_nothing || is_of_object(c) || !changes(c)))
		return c->cluster(cli, w);
	err = cli->cluster ? 0 : check_shared(cli, c);
	if (err)
		return err;
	if (cli->changes_nothing && changes(c) && !is_of_object(c)) {
		err = dry_run_other(cli, c, w);
		return err == 1 ? misuse("%s has no dry run", command_title(c)) : err;
	}
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

	c = find_command(argc, argv, &words);
	if (!c)
		words = argc && find_object(argv[0]) ? 1 : 0;
	values = c ? names_of(c, argc - words) : argc;
	*text = '\0';
	for (i = 0; i < argc && used + 1 < len; i++) {
		bool plain = i < words || !values;

		if (i >= words && !values)
			values = words_width(argv + i, command_words(c), c->takes);
		values -= i >= words;
		used += (size_t)snprintf(text + used, len - used, "%s%s", i ? " " : "",
					 plain ? escaped(argv[i]) : quoted(argv[i]));
	}
	if (used >= len)
		text_cut(text, len);
}
