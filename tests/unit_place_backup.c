// SPDX-License-Identifier: GPL-2.0-only
/* Who stands behind whom: what backup.h promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tools/place/backup.h"
#include "tools/place/first.h"

#include <cmocka.h>

#define MOST 80
#define MOST_HOSTS 8

static __u32 seed;

/* The same numbers in each run. */
static __u32 any(__u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static struct place_backer backers[MOST_HOSTS];
static struct place_ranks ranks[MOST];

/* Hosts h00 ..., each in the zone that its letter of ZONES names; '-': not known. */
static __u32 backers_in(const char *zones)
{
	static char names[MOST_HOSTS][8], zone[MOST_HOSTS][2];
	__u32 i;

	for (i = 0; zones[i]; i++) {
		snprintf(names[i], sizeof(names[i]), "h%02u", i);
		zone[i][0] = zones[i] == '-' ? '\0' : zones[i];
		backers[i] = (struct place_backer){.name = names[i], .zone = zone[i], .weight = 1};
	}
	return i;
}

/* N gateways with FIRST and as many backups, of which they have WAS, of digits. */
static void ranked(__u32 from, __u32 n, __u32 first, const char *was)
{
	__u32 i, k;

	for (i = from; i < from + n; i++) {
		ranks[i] = (struct place_ranks){.n = (__u32)strlen(was), .at = {first}};
		for (k = 0; was[k]; k++)
			ranks[i].was[k] = (__u32)(was[k] - '0');
		ranks[i].n_was = k;
	}
}

static void assert_ranks(const struct place_ranks *r, const char *want)
{
	char text[TSW_GATEWAY_RANKS + 1] = "";
	__u32 k;

	for (k = 0; k < r->n; k++)
		text[k] = (char)('0' + r->at[k]);
	assert_string_equal(text, want);
}

static void backups_in_other_zones(void **state)
{
	__u32 n = backers_in("aabb");

	(void)state;
	ranked(0, 1, 0, "01"); /* both in a: the backup goes to b */
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "02");
	assert_false(ranks[0].same_zone);
	ranked(0, 1, 2, "02"); /* the first moves to b: a backs it */
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "20");
	ranked(0, 1, 0, "023"); /* two zones for three hosts */
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "023");
	assert_true(ranks[0].same_zone);
	n = backers_in("a-b");
	ranked(0, 1, 0, "01"); /* known to be elsewhere is better than not known */
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "02");
}

static void backups_without_zones(void **state)
{
	__u32 n = backers_in("---");

	(void)state;
	ranked(0, 1, 2, "012");
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "201"); /* who served is the first backup */
	assert_false(ranks[0].same_zone);
	n = backers_in("aaa");
	ranked(0, 1, 0, "01");
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "01"); /* nothing would be better */
	assert_true(ranks[0].same_zone);
	ranked(0, 1, 0, "0123"); /* more than there are */
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "012");
	ranked(0, 1, 1, "0");
	place_backups(backers, n, ranks, 1);
	assert_ranks(&ranks[0], "1"); /* none where none was */
	assert_int_equal(backers[0].backs, 0);
}

static void backups_are_spread(void **state)
{
	__u32 n = backers_in("abbbb"), i;

	(void)state;
	ranked(0, 80, 0, "01"); /* all on one: more than twice its share */
	place_backups(backers, n, ranks, 80);
	assert_int_equal(backers[1].backs, 32); /* a share is 16 */
	for (i = 2; i < n; i++)
		assert_int_equal(backers[i].backs, 16);
	backers[1].left_out = true;
	place_backups(backers, n, ranks, 80);
	assert_int_equal(backers[1].backs, 0);
	n = backers_in("ab");
	ranked(0, 80, 0, "01"); /* no other: full or not */
	place_backups(backers, n, ranks, 80);
	assert_int_equal(backers[1].backs, 80);
}

static void backups_by_weight(void **state)
{
	__u32 n = backers_in("a---"), i;

	(void)state;
	backers[2].weight = 3;
	ranked(0, 40, 0, "00"); /* the first alone, and one more is wanted */
	for (i = 0; i < 40; i++)
		ranks[i].was[1] = PLACE_NOWHERE;
	place_backups(backers, n, ranks, 40);
	assert_int_equal(backers[1].backs, 8);
	assert_int_equal(backers[2].backs, 24);
	assert_int_equal(backers[3].backs, 8);
}

static void backups_again_nothing(void **state)
{
	static const char *const zones[] = {"abcab", "aabb--", "aaaa", "------", "abcdefgh"};
	__u32 n, i, k, round, was[TSW_GATEWAY_RANKS];

	(void)state;
	seed = 7;
	for (round = 0; round < 500; round++) {
		n = backers_in(zones[round % 5]);
		for (i = 0; i < n; i++) {
			backers[i].weight = 1 + any(4);
			backers[i].left_out = !any(5);
		}
		for (i = 0; i < 60; i++) {
			ranks[i] = (struct place_ranks){.n = 1 + any(4), .at = {any(n)}};
			ranks[i].n_was = ranks[i].n;
			for (k = 0; k < ranks[i].n; k++)
				ranks[i].was[k] = (any(n) + k) % n;
		}
		place_backups(backers, n, ranks, 60);
		for (i = 0; i < 60; i++) {
			memcpy(ranks[i].was, ranks[i].at, sizeof(was));
			ranks[i].n_was = ranks[i].n;
		}
		place_backups(backers, n, ranks, 60);
		for (i = 0; i < 60; i++)
			assert_memory_equal(ranks[i].was, ranks[i].at, ranks[i].n * sizeof(*was));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backups_in_other_zones), cmocka_unit_test(backups_without_zones),
		cmocka_unit_test(backups_are_spread),	  cmocka_unit_test(backups_by_weight),
		cmocka_unit_test(backups_again_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
