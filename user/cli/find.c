// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/find.h"

/* Other names of verbs, in the order in which they are tried. */
static const struct {
	const char *name, *verb;
} aliases[] = {{"ls", "list"}, {"ls", "show"}, {"list", "show"}, {"delete", "del"}};

struct matches {
	const struct command *first;
	size_t n;
	char text[256]; /* all of them */
};

static void add(struct matches *m, const struct command *c, const char *word)
{
	const size_t used = strlen(m->text);

	if (!m->n++)
		m->first = c;
	snprintf(m->text + used, sizeof(m->text) - used, "%s%s", used ? ", " : "", word);
}

static bool begins(const char *word, const char *with)
{
	return *with && !strncmp(word, with, strlen(with));
}

static bool is_first_of_object(const struct command *c)
{
	return c == commands || strcmp(c->object, c[-1].object);
}

static const struct matches *objects_of(const char *word, struct matches *m)
{
	const struct command *c;

	*m = (struct matches){};
	for (c = commands; c->object; c++) {
		if (!is_first_of_object(c) || !begins(c->object, word))
			continue;
		if (!strcmp(c->object, word)) {
			*m = (struct matches){.first = c, .n = 1};
			break;
		}
		add(m, c, c->object);
	}
	return m;
}

const char *find_object(const char *word)
{
	struct matches m;

	return objects_of(word, &m)->n == 1 ? m.first->object : NULL;
}

/* WORD is the verb; NULL: finds the row that has no verb. */
static const struct command *find_exact(const struct command *object, const char *word)
{
	const struct command *c;

	for (c = object; c->object && !strcmp(c->object, object->object); c++)
		if (word && c->verb ? !strcmp(c->verb, word) : !word && !c->verb)
			return c;
	return NULL;
}

static const struct matches *verbs_of(const struct command *object, const char *word,
				      struct matches *m)
{
	const struct command *c = find_exact(object, word);
	size_t i;

	*m = (struct matches){.first = c, .n = c != NULL};
	for (i = 0; !m->n && i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		c = strcmp(aliases[i].name, word) ? NULL : find_exact(object, aliases[i].verb);
		if (c)
			add(m, c, c->verb);
	}
	if (m->n)
		return m;
	for (c = object; c->object && !strcmp(c->object, object->object); c++)
		if (c->verb && begins(c->verb, word))
			add(m, c, c->verb);
	return m;
}

/* A row without a verb takes any word that follows. */
const struct command *find_command(int argc, char **argv, int *words)
{
	struct matches objects, verbs;

	if (!argc || objects_of(argv[0], &objects)->n != 1)
		return NULL;
	*words = 2;
	if (argc > 1 && verbs_of(objects.first, argv[1], &verbs)->n == 1)
		return verbs.first;
	*words = 1;
	return find_exact(objects.first, NULL);
}

static int misuse_object(const char *word, const struct matches *m)
{
	struct near near = {.word = word};
	const struct command *c;

	if (m->n)
		return misuse("%s is ambiguous: %s", quoted(word), m->text);
	for (c = commands; c->object; c++)
		near_look(&near, c->object);
	near_look(&near, "help");
	misuse("unknown command %s", quoted(word));
	near_tell(&near);
	fail_more("%s", *near.best ? "" : "; see: tsw help");
	return -failure()->code;
}

int misuse_unknown(int argc, char **argv)
{
	struct matches objects, verbs;
	struct near near = {};
	const struct command *c;

	/* `help nosuch`: the unknown word is the second. */
	if (argc > 1 && is_help(argv[0]))
		argc--, argv++;
	if (objects_of(argv[0], &objects)->n != 1)
		return misuse_object(argv[0], &objects);
	if (argc > 1 && verbs_of(objects.first, argv[1], &verbs)->n > 1)
		return misuse("%s is ambiguous: %s", quoted(argv[1]), verbs.text);
	near.word = argc > 1 ? argv[1] : "";
	verbs = (struct matches){};
	for (c = objects.first; c->object && !strcmp(c->object, objects.first->object); c++) {
		near_look(&near, c->verb);
		add(&verbs, c, c->verb);
	}
	if (argc < 2)
		return misuse("a verb is missing; use one of: %s", verbs.text);
	misuse("%s is not one of %s", quoted(argv[1]), verbs.text);
	near_tell(&near);
	return -failure()->code;
}
