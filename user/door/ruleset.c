// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/problem.h"
#include "door/ruleset.h"
#include "gateway.nft.h"

#define NO_TABLE "table inet tsw { }\ndelete table inet tsw\n"

/*
 * 1: the table exists and has a chain; 0: it does not; -1: an error with a message. Lists chains,
 * because listing tables makes the library read all elements, which may take seconds.
 */
static int has_table(void)
{
	json_t *list = nft_list("list chains inet", false), *chain;
	size_t i;
	int found = list ? 0 : -1;

	for (i = 0; i < json_array_size(list); i++) {
		chain = json_object_get(json_array_get(list, i), "chain");
		if (!strcmp(json_text_in(chain, "table"), "tsw"))
			found = 1;
	}
	json_decref(list);
	return found;
}

/* A table as it is listed: the number of rules of each chain, and the elements of each set. */
struct listed {
	json_t *rules;
	json_t *sets;
};

static void listed_free(struct listed *l)
{
	json_decref(l->rules);
	json_decref(l->sets);
}

#define cleanup_listed __attribute__((cleanup(listed_free)))

static void count_rule(json_t *rules, const char *chain, int more)
{
	json_int_t n = json_integer_value(json_object_get(rules, chain));

	json_object_set_new(rules, chain, json_integer(n + more));
}

/* Elements as text, which compares fast: {"[key]": null} or {"[key,value]": null}. */
static json_t *by_text(const json_t *elements, bool is_map)
{
	json_t *set = json_object(), *one, *element;
	char *text;
	size_t i;

	for (i = 0; i < json_array_size(elements); i++) {
		element = json_array_get(elements, i);
		one = is_map ? json_incref(element) : json_pack("[O]", element);
		text = json_dumps(one, JSON_COMPACT);
		json_object_set_new(set, text, json_null());
		free(text);
		json_decref(one);
	}
	return set;
}

static void read_object(const json_t *object, struct listed *l)
{
	const json_t *chain = json_object_get(object, "chain");
	const json_t *rule = json_object_get(object, "rule");
	const json_t *set = json_object_get(object, "set"), *map = json_object_get(object, "map");
	const json_t *either = set ? set : map;

	if (chain)
		count_rule(l->rules, json_text_in(chain, "name"), 0);
	if (rule)
		count_rule(l->rules, json_text_in(rule, "chain"), 1);
	if (either)
		json_object_set_new(l->sets, json_text_in(either, "name"),
				    by_text(json_object_get(either, "elem"), !!map));
}

/* A missing table lists as empty. */
static int list(struct listed *l)
{
	int there = has_table();
	json_t *objects;
	size_t i;

	*l = (struct listed){json_object(), json_object()};
	if (there <= 0)
		return there < 0 ? -EIO : 0;
	objects = nft_list("list table inet tsw", true);
	for (i = 0; i < json_array_size(objects); i++)
		read_object(json_array_get(objects, i), l);
	json_decref(objects);
	return objects ? 0 : -EIO;
}

/* Counts the rules of gateway.nft, where each line of a chain except the first is a rule. */
static json_t *wanted_rules(void)
{
	const char *text = gateway_nft, *const end = gateway_nft + strlen(gateway_nft);
	json_t *rules = json_object();
	char chain[64], word[64];
	bool inside = false;

	for (; text < end; text = strchr(text, '\n') + 1) {
		if (sscanf(text, " chain %63s {", chain) == 1) {
			inside = true;
			count_rule(rules, chain, 0);
		} else if (sscanf(text, " %63s", word) == 1 && *word == '}') {
			inside = false;
		} else if (inside && *word != '#' && strcmp(word, "type")) {
			count_rule(rules, chain, 1);
		}
	}
	return rules;
}

int ruleset_open(bool *made)
{
	const int there = has_table();

	*made = !there;
	return there < 0 ? -EIO : there ? 0 : ruleset_rebuild(NULL);
}

/* Does the change, which may be NULL, add an object of that name? */
static bool is_made(const struct nft_change *c, const char *kind, const char *name)
{
	const json_t *commands = c ? c->commands : NULL, *command;
	char line[192];
	size_t i;

	snprintf(line, sizeof(line), "add %s inet tsw %s", kind, name);
	json_array_foreach((json_t *)commands, i, command) {
		const char *text = json_text_in(command, "text");

		if (!strncmp(text, line, strlen(line)) && strchr(" ", text[strlen(line)]))
			return true;
	}
	return false;
}

/* Is it an object that neither this version's table has nor the change adds? */
static bool is_stranger(const struct nft_change *c, const char *kind, const char *name)
{
	char line[192];

	snprintf(line, sizeof(line), "\t%s %s {", kind, name);
	return *name && strcmp(kind, "table") && !strstr(gateway_nft, line) &&
	       !is_made(c, kind, name);
}

/* Deletes objects of another version or of another program. No rule refers to them any more. */
static int drop_strangers(const struct nft_change *c)
{
	json_t *objects = nft_list("list table inet tsw", false), *object, *body;
	int err = objects ? 0 : -EIO;
	const char *kind, *name;
	char command[192];
	size_t i;

	json_array_foreach(objects, i, object) {
		json_object_foreach(object, kind, body) {
			name = json_text_in(body, "name");
			if (err || !is_stranger(c, kind, name))
				continue;
			snprintf(command, sizeof(command), "delete %s inet tsw %s", kind, name);
			err = nft_run("", command, NULL);
		}
	}
	json_decref(objects);
	return err;
}

/* Defines an nftables variable. The library keeps it from one text to the next. */
static _Thread_local char ports[64];

void ruleset_ports(const struct tsw_port_range *range)
{
	snprintf(ports, sizeof(ports), "redefine nat_ports = %u-%u\n", range->first, range->last);
}

int ruleset_put_ports(void)
{
	const char *begin = strstr(gateway_nft, "\tchain srcnat {\n");
	const char *end = begin ? strstr(begin, "\n\t}\n") : NULL;
	char *text = NULL;
	int err;

	if (!end || asprintf(&text, "flush chain inet tsw srcnat\ntable inet tsw {\n%.*s\n\t}\n}\n",
			     (int)(end - begin), begin) < 0)
		return fail_memory();
	err = nft_run(ports, text, NULL);
	free(text);
	return err;
}

/* If a set has another type or a chain another hook, the whole table must be replaced. */
int ruleset_rebuild(struct nft_change *c)
{
	char first[sizeof(NO_TABLE) + sizeof(ports)];
	int err = nft_run(ports, gateway_nft, c);

	err = err ?: drop_strangers(c);
	snprintf(first, sizeof(first), "%s%s", ports, NO_TABLE);
	if (err)
		err = nft_run(first, gateway_nft, c);
	if (c)
		nft_abandon(c);
	return err;
}

/* Counts elements of A that B lacks. *FIRST: the first of them. */
static size_t lacking(const json_t *a, const json_t *b, const char **first)
{
	const char *text;
	size_t n = 0;
	json_t *value;

	json_object_foreach((json_t *)a, text, value) {
		if (json_object_get(b, text))
			continue;
		if (!n++)
			*first = text;
	}
	return n;
}

static void compare_rules(const json_t *wanted, const json_t *found, json_t *problems)
{
	const char *chain;
	json_t *value;

	json_object_foreach((json_t *)wanted, chain, value) {
		const json_t *there = json_object_get(found, chain);

		if (!there)
			problem(problems, "nftables_chain", chain, "the chain is missing");
		else if (!json_equal(value, there))
			problem(problems, "nftables_chain", chain,
				"it has %" JSON_INTEGER_FORMAT
				" rules and should have %" JSON_INTEGER_FORMAT,
				json_integer_value(there), json_integer_value(value));
	}
}

/* Adds the rules that the change would add. */
static void count_made(const struct nft_change *c, json_t *rules)
{
	const json_t *command;
	char chain[64];
	size_t i;

	json_array_foreach(c->commands, i, command)
		if (sscanf(json_text_in(command, "text"), "add rule inet tsw %63s", chain) == 1)
			count_rule(rules, chain, 1);
}

/* The elements that empty sets would have after the change. */
static json_t *sets_of(const struct nft_change *c)
{
	json_t *sets = json_object(), *command;
	const char *name;
	size_t i;

	for (i = 0; i < json_array_size(c->commands); i++) {
		command = json_array_get(c->commands, i);
		name = json_text_in(command, "set");
		if (!*name)
			continue;
		if (!json_object_get(sets, name))
			json_object_set_new(sets, name, json_object());
		json_object_update_new(json_object_get(sets, name),
				       by_text(json_object_get(command, "elem"), true));
	}
	return sets;
}

static void compare_sets(const json_t *wanted, const json_t *found, json_t *problems)
{
	const char *name, *first = "";
	json_t *there, *value;
	size_t n;

	json_object_foreach((json_t *)found, name, there) {
		value = json_object_get(wanted, name);
		n = lacking(value, there, &first);
		if (n)
			problem(problems, "nftables_element_missing", name,
				"%zu elements are missing, the first is %s", n, first);
		n = lacking(there, value, &first);
		if (n)
			problem(problems, "nftables_element_strange", name,
				"%zu elements do not belong there, the first is %s", n, first);
	}
	json_object_foreach((json_t *)wanted, name, value) {
		if (!json_object_get(found, name))
			problem(problems, "nftables_set", name, "the set is missing");
	}
}

int ruleset_check(struct nft_change *c, const char *const *but, json_t *problems)
{
	cleanup_listed struct listed found = {};
	int err = list(&found);
	json_t *wanted;

	if (!err) {
		wanted = wanted_rules();
		count_made(c, wanted);
		compare_rules(wanted, found.rules, problems);
		json_decref(wanted);
		wanted = sets_of(c);
		json_object_del(found.sets, "refused"); /* the rules fill it */
		for (; but && *but; but++) {
			json_object_del(wanted, *but);
			json_object_del(found.sets, *but);
		}
		compare_sets(wanted, found.sets, problems);
		json_decref(wanted);
	}
	nft_abandon(c);
	return err;
}
