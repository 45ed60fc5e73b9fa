// SPDX-License-Identifier: GPL-2.0-only
/* The table of commands against itself, and what is told of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cmd/cmd.h"
#include "typed.h"

#include <cmocka.h>

static void table_is_whole(void **state)
{
	const struct command *c, *other;

	(void)state;
	for (c = commands; c->object; c++) {
		assert_non_null(c->synopsis);
		assert_true(c->help && *c->help);
		assert_non_null(c->run);
		assert_int_equal(c->needs & ~c->takes, 0);
		/* Those that open by themselves do so also where pins are missing. */
		if (c->flags & COMMAND_WRITE && c->run != cmd_switch_repair &&
		    c->run != cmd_switch_gc)
			assert_true(c->flags & COMMAND_OPEN);
		/* The one without a verb is behind the others of its object. */
		for (other = commands; other < c; other++)
			assert_false(!strcmp(other->object, c->object) &&
				     (!other->verb || (c->verb && !strcmp(other->verb, c->verb))));
	}
}

/* Each key that a command takes is a word of its synopsis, and so is NAME. */
static void synopsis_names_all_words(void **state)
{
	const struct command *c;
	const char *synopsis;
	size_t i;

	(void)state;
	for (c = commands; c->object; c++) {
		synopsis = command_synopsis(c);
		assert_true((c->name != NAME_NONE && c->name != NAME_FILE) ==
			    (strstr(synopsis, "NAME") || strstr(synopsis, "TENANT")));
		assert_true((c->name == NAME_FILE) == !strncmp(synopsis, "FILE", 4));
		for (i = 0; c->words && c->words->fields[i].key; i++)
			if (c->takes & FIELD(i) &&
			    !strstr(synopsis, field_word(&c->words->fields[i])))
				fail_msg("%s %s takes %s, its synopsis does not say so", c->object,
					 c->verb, field_word(&c->words->fields[i]));
	}
}

/* How deep in brackets the synopsis first has that word; -1: it has not. */
static int depth_of(const char *synopsis, const char *word)
{
	const size_t len = strlen(word);
	const char *at;
	int depth = 0;

	for (at = synopsis; *at; at += !!*at) {
		for (; *at && strchr("[]() ", *at); at++)
			depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
		if (!strncmp(at, word, len) && (!at[len] || strchr(" ])", at[len])))
			return depth;
		while (*at && !strchr("[]() ", at[1]))
			at++;
	}
	return -1;
}

/* All tables: a word of one that stands in a synopsis is one that the command takes. */
static const struct vocabulary *const all_words[] = {
	&switch_words, &host_words,  &tenant_words, &endpoint_words, &gateway_words, &publish_words,
	&peer_words,   &trace_words, &option_words, &join_words,     &policy_words,
};

static bool takes_word(const struct command *c, const char *word)
{
	size_t i;

	for (i = 0; c->words && c->words->fields[i].key; i++)
		if (c->takes & FIELD(i) && field_is_word(&c->words->fields[i], word))
			return true;
	return false;
}

static void told_is_taken(const struct command *c, const struct vocabulary *v)
{
	const char *synopsis = command_synopsis(c);
	const char *word;
	size_t i;

	for (i = 0; v->fields[i].key; i++) {
		word = field_word(&v->fields[i]);
		/* A gateway goes with its tenant; `group` is a kind of who a rule is about, too. */
		if (strcmp(word, "gateway") && strcmp(word, "group") &&
		    depth_of(synopsis, word) >= 0 && !takes_word(c, word))
			fail_msg("%s %s does not take %s", c->object, c->verb, word);
	}
}

/* A key that stands in no brackets is needed, and no other one; what is told of is taken. */
static void synopsis_tells_what_is_needed(void **state)
{
	const struct command *c;
	const char *word, *synopsis;
	size_t i;

	(void)state;
	for (c = commands; c->object; c++) {
		synopsis = command_synopsis(c);
		for (i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
			told_is_taken(c, all_words[i]);
		for (i = 0; c->words && c->words->fields[i].key; i++) {
			word = field_word(&c->words->fields[i]);
			if (c->takes & FIELD(i) &&
			    !(c->needs & FIELD(i)) != !!depth_of(synopsis, word))
				fail_msg("%s %s: is %s needed?", c->object, c->verb, word);
		}
	}
}

/* What `help` in JSON tells of the keys is what is taken. */
static void keys_in_json(void **state)
{
	const struct command *c;
	const char *word, *synopsis;
	json_t *keys, *key;
	size_t i;

	(void)state;
	for (c = commands; c->object; c++) {
		synopsis = command_synopsis(c);
		if (!c->words)
			continue;
		keys = words_json(c->words, c->takes, c->needs);
		assert_int_equal(json_array_size(keys), __builtin_popcountll(c->takes));
		json_array_foreach(keys, i, key) {
			word = json_string_value(json_object_get(key, "key"));
			assert_non_null(word);
			assert_non_null(strstr(synopsis, word));
			assert_non_null(json_object_get(key, "kind"));
		}
		json_decref(keys);
	}
}

static void assert_keys(const struct vocabulary *v, __u64 takes, __u64 needs, json_t *want)
{
	json_t *keys = words_json(v, takes, needs);

	assert_non_null(want);
	assert_true(json_equal(keys, want));
	json_decref(keys);
	json_decref(want);
}

static void kinds_in_json(void **state)
{
	(void)state;
	assert_keys(&tenant_words,
		    FIELD(TENANT_ENCAP) | FIELD(TENANT_MTU) | FIELD(TENANT_BROADCAST),
		    FIELD(TENANT_MTU),
		    json_pack("[{s:s,s:s,s:b,s:b,s:[s,s,s]}, {s:s,s:s,s:b,s:b,s:i,s:i},"
			      " {s:s,s:s,s:b,s:b,s:[s,s]}]",
			      "key", "encap", "kind", "choice", "needed", 0, "list", 0, "choices",
			      "vxlan", "gre", "geneve", "key", "mtu", "kind", "number", "needed", 1,
			      "list", 0, "min", 576, "max", 65535, "key", "broadcast", "kind",
			      "choice", "needed", 0, "list", 0, "choices", "off", "on"));
	assert_keys(&gateway_words, FIELD(GATEWAY_IP) | FIELD(GATEWAY_MAC), FIELD(GATEWAY_IP),
		    json_pack("[{s:s,s:s,s:b,s:b}, {s:s,s:s,s:b,s:b}]", "key", "ip", "kind", "cidr",
			      "needed", 1, "list", 1, "key", "mac", "kind", "mac", "needed", 0,
			      "list", 0));
	assert_keys(&endpoint_words, FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_DEV), 0,
		    json_pack("[{s:s,s:s,s:b,s:b,s:b}, {s:s,s:s,s:b,s:b}]", "key", "mac", "kind",
			      "mac", "needed", 0, "list", 0, "auto", 1, "key", "dev", "kind",
			      "device", "needed", 0, "list", 0));
	assert_keys(&option_words, FIELD(OPTION_APPLY), 0,
		    json_pack("[{s:s,s:s,s:b,s:b}]", "key", "--apply", "kind", "flag", "needed", 0,
			      "list", 0));
	assert_keys(&switch_words, FIELD(SWITCH_MAX_TENANTS), 0,
		    json_pack("[{s:s,s:s,s:b,s:b,s:i,s:i}]", "key", "max-tenants", "kind", "number",
			      "needed", 0, "list", 0, "min", 1, "max", 1 << 20));
}

/* The letters for getopt: each once, with a colon where a value follows. */
static void options_for_getopt(void **state)
{
	const struct option_help *o;
	char letters[64], *at;

	(void)state;
	options_letters("+:", letters, sizeof(letters));
	assert_memory_equal(letters, "+:", 2);
	for (o = option_helps; o->help; o++) {
		assert_true(*o->help);
		if (o->letter >= OPTION_LONG) {
			assert_non_null(o->word);
			continue;
		}
		at = strchr(letters + 2, o->letter);
		assert_non_null(at);
		assert_null(strchr(at + 1, o->letter));
		assert_int_equal(at[1] == ':', o->value != NULL);
	}
	options_letters("+:", letters, 4); /* no room */
	assert_int_equal(strlen(letters), 3);
}

/* Each command has an example, which is taken as it stands. */
static void examples(void **state)
{
	const struct command *c, *found;
	struct words words;
	const char *example;

	(void)state;
	for (c = commands; c->object; c++) {
		example = help_example(c);
		if (!*example)
			fail_msg("%s %s has no example", c->object, c->verb);
		if (typed(example, &found, &words))
			fail_msg("%s: %s", example, failure()->text);
		assert_ptr_equal(found, c);
	}
}

/* What somebody reads who types no command. */
static void brief(void **state)
{
	char text[4096] = "", *line, *rest = text;
	FILE *f = fmemopen(text, sizeof(text), "w");
	int lines = 0, commands_shown = 0;

	(void)state;
	help_brief(f);
	fclose(f);
	while ((line = strsep(&rest, "\n")) && *line) {
		assert_in_range(strlen(line), 1, 79);
		commands_shown += !strncmp(line, "  tsw ", 6);
		lines++;
	}
	assert_in_range(lines, 5, 10);
	assert_int_equal(commands_shown, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_whole),
		cmocka_unit_test(synopsis_names_all_words),
		cmocka_unit_test(synopsis_tells_what_is_needed),
		cmocka_unit_test(keys_in_json),
		cmocka_unit_test(kinds_in_json),
		cmocka_unit_test(options_for_getopt),
		cmocka_unit_test(examples),
		cmocka_unit_test(brief),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
