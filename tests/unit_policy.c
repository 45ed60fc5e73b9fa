// SPDX-License-Identifier: GPL-2.0-only
/* Groups and rules: words and files that name them, and what a rule comes to in the maps. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/command.h"
#include "record/policy_ways.h"
#include "state/check.h"
#include "state/read.h"
#include "typed.h"

#include <cmocka.h>

#include "state_step.h"

/* ---- ways ------------------------------------------------------------------------- */

static bool is_in(const struct tsw_policy_way_key *key, __u32 port)
{
	const __u32 mask = key->length ? 0xffffU << (16 - key->length) & 0xffff : 0;

	return (port & mask) == ntohs(key->port);
}

/* Each port of the range is in one of the ways, and no other port is. */
static void check_range(__u16 first, __u16 last)
{
	const struct tsw_policy_rule rule = {.first = first, .last = last, .proto = 6};
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	const unsigned int n = policy_rule_ways(7, &rule, key);
	unsigned int port, in, i;

	for (port = 0; port <= 65535; port++) {
		for (in = 0, i = 0; i < n; i++)
			in += is_in(&key[i], port);
		assert_int_equal(in, port >= first && port <= last);
	}
	/* The least set: no two of them are the halves of one. */
	for (i = 1; i < n; i++)
		assert_false(key[i - 1].length == key[i].length &&
			     (ntohs(key[i - 1].port) ^ ntohs(key[i].port)) ==
				     1 << (16 - key[i].length));
}

static void ranges_are_prefixes(void **state)
{
	static const __u16 edges[] = {1, 2, 3, 79, 80, 90, 1023, 1024, 32768, 65534, 65535};
	const size_t n = sizeof(edges) / sizeof(edges[0]);
	size_t i, k;

	(void)state;
	for (i = 0; i < n; i++)
		for (k = i; k < n; k++)
			check_range(edges[i], edges[k]);
}

static void one_way_without_ports(void **state)
{
	const struct tsw_policy_rule rule = {
		.from.who = 3, .to.who = TSW_POLICY_CIDR | 4, .proto = 17};
	const struct tsw_policy_way_key want = {
		.tenant = 7, .from = 3, .to = TSW_POLICY_CIDR | 4, .proto = 17};
	const struct tsw_policy_rule whole = {.first = 1, .last = 65534, .proto = 17};
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];

	(void)state;
	assert_int_equal(policy_rule_ways(7, &rule, key), 1);
	assert_memory_equal(key, &want, sizeof(want));
	assert_int_equal(policy_rule_ways(7, &whole, key), POLICY_RULE_WAYS);
}

static struct tsw_policy_choice choice(__u32 number, __u16 priority, __u8 action, __u32 flags)
{
	const struct tsw_policy_rule rule = {
		.number = number, .priority = priority, .action = action, .flags = flags};

	return policy_rule_choice(&rule);
}

static void what_counts(void **state)
{
	const struct tsw_policy_choice none = {}, low = choice(1, 10, TSW_POLICY_DENY, 0),
				       high = choice(2, 11, TSW_POLICY_ALLOW, 0),
				       deny = choice(3, 11, TSW_POLICY_DENY, 0),
				       log = choice(4, 11, TSW_POLICY_ALLOW, TSW_RULE_LOG),
				       same = choice(5, 11, TSW_POLICY_ALLOW, 0);

	(void)state;
	assert_true(policy_is_better(&low, &none));
	assert_false(policy_is_better(&none, &low));
	assert_false(policy_is_better(&none, &none));
	assert_true(policy_is_better(&high, &low));
	assert_true(policy_is_better(&deny, &high));
	assert_true(policy_is_better(&log, &high));
	assert_true(policy_is_better(&high, &same)); /* the lower number */
	assert_false(policy_is_better(&same, &high));
	assert_true(TSW_POLICY_DENIES(deny.weight) && !TSW_POLICY_DENIES(log.weight));
	assert_true(TSW_POLICY_LOGS(log.weight) && !TSW_POLICY_LOGS(deny.weight));
}

/* Before its generation what was counts, from it on what is to be. */
static void generations(void **state)
{
	struct tsw_policy_way way = {.generation = 5, .now.number = 1, .then.number = 2};

	(void)state;
	assert_int_equal(policy_way_now(&way, 4)->number, 1);
	assert_int_equal(policy_way_now(&way, 5)->number, 2);
	assert_int_equal(policy_way_now(&way, 6)->number, 2);
	way.generation = 0; /* it counts on behind the last number */
	assert_int_equal(policy_way_now(&way, ~0U)->number, 1);
	assert_int_equal(policy_way_now(&way, 0)->number, 2);
}

static void of_one_key_one_counts(void **state)
{
	struct tsw_policy_name name[] = {{1, {"a"}}, {1, {"b"}}, {2, {"a"}}};
	struct tsw_policy_rule rule[] = {
		{.number = 1, .priority = 5, .proto = 6, .first = 80, .last = 81},
		{.number = 2, .priority = 6, .proto = 6, .first = 80, .last = 80},
		{.number = 1, .priority = 7}};
	const struct rows rows = {.keys = (char *)name,
				  .values = (char *)rule,
				  .n = 3,
				  .key_size = sizeof(name[0]),
				  .value_size = sizeof(rule[0])};
	struct tsw_policy_way_key key[POLICY_RULE_WAYS];
	struct policy_ways ways;

	(void)state;
	assert_int_equal(policy_ways_make(&rows, &ways), 0);
	assert_int_equal(ways.n, 3);
	assert_int_equal(policy_rule_ways(1, &rule[0], key), 1);
	assert_int_equal(policy_ways_find(&ways, key).number, 1);
	assert_int_equal(policy_rule_ways(1, &rule[1], key), 1);
	assert_int_equal(policy_ways_find(&ways, key).number, 2);
	key[0].to = 9;
	assert_int_equal(policy_ways_find(&ways, key).number, 0);
	assert_int_equal(policy_ways_lengths(&ways, 1), 1 << 15 | 1 << 16);
	assert_int_equal(policy_ways_lengths(&ways, 2), 1);
	policy_ways_free(&ways);

	rule[1].priority = rule[0].priority;
	rule[1].last = 81;
	assert_int_equal(policy_ways_make(&rows, &ways), 0);
	assert_int_equal(ways.n, 2);
	assert_int_equal(ways.all[0].choice.number, 1);
	policy_ways_free(&ways);
}

/* ---- text ------------------------------------------------------------------------- */

static void text_and_back(void **state)
{
	static const char *const whos[] = {"any",
					   "group:web",
					   "group:any",
					   "cidr:10.0.0.0/8",
					   "cidr:0.0.0.0/0",
					   "cidr:fd00::/8",
					   "cidr:10.0.0.1/32",
					   "cidr:2001:db8::1/128"};
	static const char *const ports[] = {"any", "1", "80-90", "65535"};
	struct tsw_policy_who who;
	struct tsw_port_range range;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(whos) / sizeof(whos[0]); i++) {
		assert_int_equal(parse_who(whos[i], &who), 0);
		assert_string_equal(who_text(&who), whos[i]);
	}
	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		assert_int_equal(parse_ports(ports[i], &range), 0);
		assert_string_equal(ports_text(&range), ports[i]);
	}
	assert_int_equal(parse_ports("80-80", &range), 0);
	assert_string_equal(ports_text(&range), "80");
}

static void text_is_refused(void **state)
{
	static const char *const whos[] = {"",
					   "web",
					   "group:",
					   "group:a b",
					   "group:none",
					   "group:help",
					   "cidr:",
					   "cidr:10.0.0.0",
					   "cidr:10.0.0.1/8",
					   "cidr:10.0.0.0/33",
					   "cidr:fd00::1/8",
					   "cidr:::/0",
					   "cidr:::ffff:10.0.0.0/104",
					   "cidr:10.0.0/8",
					   "cidr:fd00::/129",
					   "Any"};
	static const char *const ports[] = {"",	 "0",	  "65536", "90-80", "80-", "-80",
					    "a", "1-2-3", "0-5",   "80 ",   "+80"};
	struct tsw_policy_who who;
	struct tsw_port_range range;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(whos) / sizeof(whos[0]); i++)
		if (!parse_who(whos[i], &who))
			fail_msg("%s is taken", whos[i]);
	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (!parse_ports(ports[i], &range))
			fail_msg("%s is taken", ports[i]);
}

/* ---- words ------------------------------------------------------------------------ */

static int parse(const char *line, struct words *w)
{
	const struct command *c;

	return typed(line, &c, w);
}

static void words_of_a_rule(void **state)
{
	char line[] = "policy add red sql from group web to cidr 10.0.0.0/8 proto tcp port 80-90 "
		      "action deny priority 7 log on";
	struct words w;

	(void)state;
	assert_int_equal(parse(line, &w), 0);
	assert_string_equal(w.name.s, "red");
	assert_string_equal(w.second.s, "sql");
	assert_string_equal(who_text(&w.policy.from), "group:web");
	assert_string_equal(who_text(&w.policy.to), "cidr:10.0.0.0/8");
	assert_int_equal(w.policy.proto, TSW_POLICY_TCP);
	assert_string_equal(ports_text(&w.policy.port), "80-90");
	assert_int_equal(w.policy.action, TSW_POLICY_DENY);
	assert_int_equal(w.policy.priority, 7);
	assert_true(w.policy.log);
}

/* In whatever order, and each group once: what is a key ends the list. */
static void words_of_groups(void **state)
{
	char line[] = "endpoint set a group web db tenant red group app";
	struct words w;

	(void)state;
	assert_int_equal(parse(line, &w), 0);
	assert_int_equal(w.endpoint.group.n, 3);
	assert_string_equal(w.endpoint.group.at[0].s, "app");
	assert_string_equal(w.endpoint.group.at[1].s, "db");
	assert_string_equal(w.endpoint.group.at[2].s, "web");
	assert_string_equal(w.endpoint.tenant.s, "red");
}

static void words_are_refused(void **state)
{
	static const struct {
		const char *line, *said;
	} rows[] = {
		{"group add red", "the name after the tenant is missing"},
		{"group add red none", "stands for no group"},
		{"group add red a/b", "\"a/b\" cannot be a name"},
		{"group del red", ""},
		{"group del red web extra", ""},
		{"policy add red", ""},
		{"policy add red sql", ""},
		{"policy add red sql from any", "\"to\" is missing"},
		{"policy add red sql from any to", ""},
		{"policy add red sql from group to any", ""},
		{"policy add red sql from any to group", "\"group\" needs a value"},
		{"policy add red sql from web to any", ""},
		{"policy add red sql from any from any to any", ""},
		{"policy add red sql from cidr 10.0.0.1/8 to any", "the network is 10.0.0.0/8"},
		{"policy add red sql from cidr 10.0.0.0 to any",
		 "\"10.0.0.0\" has no prefix length"},
		{"policy add red sql from any to any proto icmp port 80",
		 "port 80 goes with proto tcp"},
		{"policy add red sql from any to any port 80", "port 80 goes with proto tcp"},
		{"policy add red sql from any to any proto tcp port 90-80",
		 "\"90-80\" is not a range"},
		{"policy add red sql from any to any priority 0", ""},
		{"policy add red sql from any to any priority 65536", "from 1 to 65535"},
		{"policy add red sql from any to any action drop", ""},
		{"policy set red sql", "nothing to set"},
		{"policy set red sql proto any port 80", ""},
		{"policy show red sql extra", ""},
		{"endpoint set a group", ""},
		{"endpoint set a group web web", "is given twice"},
		{"endpoint set a group none web", "stands alone"},
		{"endpoint set a group web none", "stands alone"},
		{"endpoint set a group 1 2 3 4 5 6 7 8 9", ""},
		{"tenant set red policy maybe", "\"maybe\" is not one of off, audit, on"},
		{"tenant set red default drop", ""},
	};
	struct words w;
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(line, sizeof(line), "%s", rows[i].line);
		if (parse(line, &w) != -EINVAL)
			fail_msg("%s is taken", rows[i].line);
		assert_int_equal(failure()->status, EXIT_MISUSE);
		if (!strstr(failure()->text, rows[i].said))
			fail_msg("%s: %s", rows[i].line, failure()->text);
	}
}

/* What is a name and what is a key is told by where it stands. */
static void words_in_messages(void **state)
{
	static const char *const lines[] = {
		"policy add \"red\" \"from\" from \"group\" \"to\" to \"any\"",
		"group add \"red\" \"a\" \"b\"",
		"endpoint set \"a\" group \"web\" \"db\" tenant \"red\""};
	struct line words = {};
	char line[128], text[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), "%s", lines[i]);
		assert_int_equal(parse_line(line, &words), 0);
		command_text(words.n, words.word, text, sizeof(text));
		assert_string_equal(text, lines[i]);
	}
	line_free(&words);
}

/* ---- states ----------------------------------------------------------------------- */

#define RED(rest) TWO(TENANT("red", 1, rest))
#define GROUPS(list) ",\"groups\":[" list "]"
#define RULES(list) ",\"policies\":[" list "]"
#define RULE(name, from, to, rest) \
	"{\"name\":\"" name "\",\"from\":\"" from "\",\"to\":\"" to "\"" rest "}"
#define WEB_DB GROUPS("\"db\",\"web\"")
#define SQL RULE("sql", "group:web", "group:db", "")
#define IN(group) "\"host\":\"h2\",\"group\":[" group "]"

static const struct step steps[] = {
	{"a group more", RED(""), RED(GROUPS("\"web\"")), "add group red/web", "del group red/web"},
	{"groups in another order", RED(WEB_DB), RED(GROUPS("\"web\",\"db\"")), "", NULL},
	{"a rule and its groups", RED(""), RED(WEB_DB RULES(SQL)),
	 "add group red/db; add group red/web; add policy red/sql",
	 "del policy red/sql; del group red/db; del group red/web"},
	{"a rule says something else", RED(WEB_DB RULES(SQL)),
	 RED(WEB_DB RULES(RULE("sql", "group:web", "group:db", ",\"proto\":\"tcp\""))),
	 "set policy red/sql", NULL},
	{"what is not said is the default", RED(WEB_DB RULES(SQL)),
	 RED(WEB_DB RULES(RULE("sql", "group:web", "group:db",
			       ",\"proto\":\"any\",\"port\":\"any\",\"action\":\"allow\","
			       "\"priority\":1000,\"log\":false"))),
	 "", NULL},
	{"on behind what it allows, off before that goes", RED(""),
	 RED(WEB_DB RULES(SQL) ",\"policy\":\"on\""),
	 "add group red/db; add group red/web; add policy red/sql; set tenant red",
	 "set tenant red; del policy red/sql; del group red/db; del group red/web"},
	{"an endpoint joins before it is on",
	 RED(GROUPS("\"web\"") EPS(EP("a", "01", "", ON("h2")))),
	 RED(GROUPS("\"web\"") EPS(EP("a", "01", "", IN("\"web\""))) ",\"policy\":\"on\""),
	 "set endpoint red/a; set tenant red", "set tenant red; set endpoint red/a"},
	{"a new endpoint comes when it is on", RED(""),
	 RED(GROUPS("\"web\"") EPS(EP("a", "01", "", IN("\"web\""))) ",\"policy\":\"on\""),
	 "add group red/web; set tenant red; add endpoint red/a",
	 "del endpoint red/a; set tenant red; del group red/web"},
	{"a tenant takes its groups and rules along", TWO(""), RED(WEB_DB RULES(SQL)),
	 "add tenant red; add group red/db; add group red/web; add policy red/sql",
	 "del tenant red"},
	{"with another id it is another tenant", RED(WEB_DB), TWO(TENANT("red", 2, WEB_DB)),
	 "del tenant red; add tenant red; add group red/db; add group red/web", NULL},
	{"the default", RED(",\"policy\":\"on\""), RED(",\"policy\":\"on\",\"default\":\"deny\""),
	 "set tenant red", NULL},
};

static void states_change(void **state)
{
	(void)state;
	STEP_ALL(steps);
}

struct bad {
	const char *text;
	const char *where;
	const char *quote;
};

#define NESTED(n) RULE("r" #n, "cidr:10.0.0.0/" #n, "any", "")

static const struct bad bads[] = {
	{RED(GROUPS("1")), "tenants[0].groups[0]: ", NULL},
	{RED(GROUPS("\"a b\"")), "tenants[0].groups[0]: ", "a b"},
	{RED(GROUPS("\"none\"")), "tenants[0].groups[0]: ", "none"},
	{RED(GROUPS("\"a\",\"b\",\"a\"")), "tenants[0].groups[2]: ", "a"},
	{RED(RULES("{\"name\":\"r\",\"to\":\"any\"}")), "tenants[0].policies[0]: \"from\"", NULL},
	{RED(RULES(RULE("r", "web", "any", ""))), "tenants[0].policies[0].from: ", "web"},
	{RED(RULES(RULE("r", "any", "group:web", ""))), "tenants[0].policies[0].to: ", "web"},
	{RED(RULES(RULE("r", "any", "cidr:10.0.0.1/8", ""))),
	 "tenants[0].policies[0].to: ", "10.0.0.1/8"},
	{RED(RULES(RULE("r", "any", "any", ",\"port\":\"80\""))), "tenants[0].policies[0]: ", NULL},
	{RED(RULES(RULE("r", "any", "any", ",\"port\":80"))),
	 "tenants[0].policies[0].port: ", NULL},
	{RED(RULES(RULE("r", "any", "any", "") "," RULE("r", "any", "any", ""))),
	 "tenants[0].policies[1].name: ", "r"},
	{RED(RULES(RULE("r", "any", "any", ",\"priority\":0"))),
	 "tenants[0].policies[0].priority: ", NULL},
	{RED(EPS(EP("a", "01", "", IN("\"web\"")))), "tenants[0].endpoints[0].group: ", "web"},
	{RED(WEB_DB EPS(EP("a", "01", "", IN("\"web\",\"web\"")))),
	 "tenants[0].endpoints[0].group[1]: ", "web"},
	{RED(RULES(NESTED(8) "," NESTED(9) "," NESTED(10) "," NESTED(11) "," NESTED(12) "," NESTED(
		 13) "," NESTED(14) "," NESTED(15) "," NESTED(16))),
	 "tenants[0].policies: with ", "10.0.0.0/16"},
	{RED(",\"policy\":\"maybe\""), "tenants[0].policy: ", "maybe"},
};

static int read_state(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);
	struct state s = {};
	int err;

	if (!value)
		fail_msg("not JSON: %s", text);
	err = state_read(value, &s);
	err = err ?: state_check(&s);
	json_decref(value);
	state_free(&s);
	return err;
}

static void states_are_refused(void **state)
{
	char quote[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		if (read_state(bads[i].text) != -EINVAL)
			fail_msg("taken: %s", bads[i].text);
		if (strncmp(failure()->text, bads[i].where, strlen(bads[i].where)))
			fail_msg("%s: not %s", failure()->text, bads[i].where);
		snprintf(quote, sizeof(quote), "\"%s\"", bads[i].quote ? bads[i].quote : "");
		if (bads[i].quote && !strstr(failure()->text, bads[i].quote))
			fail_msg("%s: no %s", failure()->text, quote);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_prefixes),	 cmocka_unit_test(one_way_without_ports),
		cmocka_unit_test(what_counts),		 cmocka_unit_test(generations),
		cmocka_unit_test(of_one_key_one_counts), cmocka_unit_test(text_and_back),
		cmocka_unit_test(text_is_refused),	 cmocka_unit_test(words_of_a_rule),
		cmocka_unit_test(words_of_groups),	 cmocka_unit_test(words_are_refused),
		cmocka_unit_test(words_in_messages),	 cmocka_unit_test(states_change),
		cmocka_unit_test(states_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
