// SPDX-License-Identifier: GPL-2.0-only
/* Which of two hosts with the same key an agent believes: desired_state(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/desired.h"
#include "base/err.h"
#include "base/key.h"
#include "state/state.h"

#include <cmocka.h>

static const char keys[][KEY_TEXT] = {
	"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=",
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI=",
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM=",
};

/* The agent is h3's. Each host's keys by number, its record's revision, what h3 has of it. */
struct host {
	const char *keys; /* "01": two; NULL: no record */
	__s64 modified;
	const char *has; /* NULL: it is not there */
};

struct deal {
	const char *what;
	struct host h1, h2, h3;
	const char *left; /* the hosts that are believed */
};

static const struct deal deals[] = {
	{"each its own", {"0", 9, NULL}, {"1", 5, NULL}, {"2", 5, NULL}, "h1 h2 h3 "},
	{"a copy that came later", {"1", 9, NULL}, {"1", 5, NULL}, {"2", 5, NULL}, "h2 h3 "},
	{"the other way round", {"1", 5, NULL}, {"1", 9, NULL}, {"2", 5, NULL}, "h1 h3 "},
	{"a copy beside an own one", {"01", 9, NULL}, {"1", 5, NULL}, {"2", 5, NULL}, "h2 h3 "},
	{"of a key that is about to come", {"1", 9, NULL}, {"01", 8, "0"}, {"2", 5, NULL}, "h2 h3 "},
	{"who is known by it has it", {"1", 5, NULL}, {"1", 9, "1"}, {"2", 5, NULL}, "h2 h3 "},
	{"the copy's host is known, by its own",
	 {"1", 5, "0"},
	 {"1", 9, "1"},
	 {"2", 5, NULL},
	 "h2 h3 "},
	{"a copy of this host's", {"2", 1, "2"}, {"1", 5, NULL}, {"2", 9, NULL}, "h2 h3 "},
	{"two copies", {"2", 1, NULL}, {"2", 2, NULL}, {"2", 9, NULL}, "h3 "},
};

static size_t refusals;

static void refused(void *context, const char *key)
{
	(void)context;
	refusals++;
	if (!strstr(failure()->text, "s key"))
		fail_msg("%s: %s", key, failure()->text);
}

static void put_host(struct record_set *r, const char *name, const struct host *host)
{
	char key[64], text[320], more[64] = "";
	struct record record = {key, text, host->modified, 0};

	if (host->keys[1])
		snprintf(more, sizeof(more), ",\"%s\"", keys[host->keys[1] - '0']);
	snprintf(key, sizeof(key), "host/%s", name);
	snprintf(text, sizeof(text), "{\"name\":\"%s\",\"ip\":[\"192.0.2.%c\"],\"key\":[\"%s\"%s]}",
		 name, name[1], keys[host->keys[0] - '0'], more);
	assert_int_equal(record_set_put(r, &record), 0);
	snprintf(key, sizeof(key), "vtep/192.0.2.%c", name[1]);
	snprintf(text, sizeof(text), "{\"owner\":\"%s\",\"nonce\":\"0\"}", name);
	assert_int_equal(record_set_put(r, &record), 0);
}

static void has_host(struct state *s, const char *name, const struct host *host)
{
	struct state_host *to = &s->host[s->n_hosts];

	if (!host->has)
		return;
	*to = (struct state_host){.spec.key.n = 1};
	snprintf(to->spec.name.s, sizeof(to->spec.name.s), "%s", name);
	assert_true(key_read(keys[host->has[0] - '0'], to->spec.key.at[0].octet));
	s->n_hosts++;
}

static void one(const struct deal *d)
{
	struct state_host hosts[3];
	struct state have = {.host = hosts};
	struct interest interest = {};
	struct record_set r = {};
	const struct desired w = {&r, &interest, "h3", &have, refused, refused, NULL, NULL};
	cleanup_state struct state s = {};
	char left[256] = "";
	size_t i;

	put_host(&r, "h1", &d->h1);
	put_host(&r, "h2", &d->h2);
	put_host(&r, "h3", &d->h3);
	has_host(&have, "h1", &d->h1);
	has_host(&have, "h2", &d->h2);
	refusals = 0;
	assert_int_equal(desired_state(&w, &s), 0);
	for (i = 0; i < s.n_hosts; i++)
		snprintf(left + strlen(left), sizeof(left) - strlen(left), "%s ",
			 s.host[i].spec.name.s);
	if (strcmp(left, d->left) != 0 || refusals != 3 - s.n_hosts)
		fail_msg("%s: %sare believed, %zu refused", d->what, left, refusals);
	record_set_free(&r);
}

static void copies(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(deals) / sizeof(*deals); i++)
		one(&deals[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(copies)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
