// SPDX-License-Identifier: GPL-2.0-only
/* Whose gateway goes where: what place.h promises, and against all placements of small cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/place.h"
#include "cli/place_backup.h"

#include <cmocka.h>

#define MOST_TENANTS 10000
#define MOST_HOSTS 64

static struct place_tenant tenants[MOST_TENANTS];
static struct place_host hosts[MOST_HOSTS];
static __u32 n_tenants, n_hosts;

static __u32 seed;

/* The same numbers in each run. */
static __u32 any(__u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Weight 1, no tenants. */
static void begin(__u32 n)
{
	static char names[MOST_HOSTS][8];
	__u32 i;

	n_tenants = 0;
	n_hosts = n;
	for (i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "h%02u", i);
		hosts[i] = (struct place_host){.name = names[i], .weight = 1};
	}
}

/* N tenants of so many bytes each on HOST. */
static void add(__u32 host, __u64 bytes, __u32 n)
{
	for (; n; n--, n_tenants++)
		tenants[n_tenants] = (struct place_tenant){
			.id = n_tenants + 1, .host = host, .bytes = bytes, .to = PLACE_NOWHERE};
}

/* How many moves it takes. */
static __u32 spread(void)
{
	__u32 i, moves = 0;

	assert_int_equal(place_spread(hosts, n_hosts, tenants, n_tenants), 0);
	for (i = 0; i < n_tenants; i++) {
		assert_true(tenants[i].to < n_hosts);
		moves += tenants[i].to != tenants[i].host;
	}
	return moves;
}

static void make_it_so(void)
{
	__u32 i;

	for (i = 0; i < n_tenants; i++)
		tenants[i].host = tenants[i].to;
}

static __u32 count(__u32 host)
{
	__u32 i, n = 0;

	for (i = 0; i < n_tenants; i++)
		n += tenants[i].to == host;
	return n;
}

static __u64 bytes(__u32 host)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < n_tenants; i++)
		sum += tenants[i].to == host ? tenants[i].bytes : 0;
	return sum;
}

/* No move helps, as place.h has it; of loads above the least that a tenant counts as. */
static bool is_level(const __u32 *at)
{
	__u64 load[MOST_HOSTS] = {}, lightest[MOST_HOSTS] = {};
	__u32 i, a, b;

	for (i = 0; i < n_tenants; i++) {
		load[at[i]] += tenants[i].bytes;
		if (!lightest[at[i]] || tenants[i].bytes < lightest[at[i]])
			lightest[at[i]] = tenants[i].bytes;
	}
	for (a = 0; a < n_hosts; a++)
		for (b = 0; b < n_hosts; b++)
			if (a != b && lightest[a] &&
			    (load[b] + lightest[a]) * hosts[a].weight < load[a] * hosts[b].weight)
				return false;
	return true;
}

static bool is_level_now(void)
{
	__u32 at[MOST_TENANTS], i;

	for (i = 0; i < n_tenants; i++)
		at[i] = tenants[i].to;
	return is_level(at);
}

/* The fewest moves that lead to a placement where none helps: all placements are tried. */
static __u32 fewest_moves(void)
{
	__u32 at[16] = {}, i, moves, best = n_tenants + 1;

	do {
		for (moves = i = 0; i < n_tenants; i++)
			moves += at[i] != tenants[i].host;
		if (moves < best && is_level(at))
			best = moves;
		for (i = 0; i < n_tenants && ++at[i] == n_hosts; i++)
			at[i] = 0;
	} while (i < n_tenants);
	return best;
}

/* ---- hosts come and go ---------------------------------------------------------------- */

static void one_joins(void **state)
{
	__u32 i;

	(void)state;
	begin(5);
	for (i = 0; i < 4; i++)
		add(i, 1000, 25);
	assert_int_equal(spread(), 20); /* its share, and each gives the same */
	for (i = 0; i < 5; i++)
		assert_int_equal(count(i), 20);
}

static void one_leaves(void **state)
{
	__u32 i;

	(void)state;
	begin(3);
	for (i = 0; i < 3; i++)
		add(i, 1000, 8);
	add(PLACE_NOWHERE, 1000, 8);
	assert_int_equal(spread(), 8); /* nobody moves who need not */
	for (i = 0; i < 3; i++)
		assert_in_range(count(i), 10, 11);
}

static void one_leaves_and_one_joins(void **state)
{
	__u32 i;

	(void)state;
	begin(4);
	for (i = 0; i < 3; i++)
		add(i, 1000, 10);
	add(PLACE_NOWHERE, 1000, 10);
	assert_int_equal(spread(), 10);
	assert_int_equal(count(3), 10);
}

static void from_central_and_back(void **state)
{
	__u32 i;

	(void)state;
	begin(4);
	add(0, 0, 100); /* nothing measured: all are equal */
	assert_int_equal(spread(), 75);
	for (i = 0; i < 4; i++)
		assert_int_equal(count(i), 25);
	make_it_so();
	n_hosts = 1;
	for (i = 0; i < 100; i++)
		if (tenants[i].host)
			tenants[i].host = PLACE_NOWHERE;
	assert_int_equal(spread(), 75);
	assert_int_equal(count(0), 100);
}

static void nothing_to_place(void **state)
{
	(void)state;
	begin(2);
	assert_int_equal(spread(), 0);
	begin(1);
	add(0, 5, 1);
	add(0, 0, 1);
	assert_int_equal(spread(), 0);
}

/* ---- weights, loads -------------------------------------------------------------------- */

static void weights(void **state)
{
	(void)state;
	begin(3);
	hosts[1].weight = 2;
	hosts[2].weight = 5;
	add(0, 1000, 80);
	assert_int_equal(spread(), 70);
	assert_int_equal(count(0), 10);
	assert_int_equal(count(1), 20);
	assert_int_equal(count(2), 50);

	begin(2);
	hosts[0].weight = PLACE_WEIGHT_MAX;
	add(1, ~0ULL, 16); /* no overflow */
	assert_int_equal(spread(), 16);
}

static void large_ones_first(void **state)
{
	(void)state;
	begin(2);
	add(0, 1000, 6);
	add(0, 10000, 1);
	assert_int_equal(spread(), 1); /* one move instead of many */
	assert_int_equal(bytes(0), 6000);

	begin(2);
	add(0, 3000, 1);
	add(0, 2000, 1);
	add(1, 5000, 1);
	add(PLACE_NOWHERE, 1000, 6);
	add(PLACE_NOWHERE, 6000, 1);
	assert_int_equal(spread(), 7); /* so that none of the others has to make room */
	assert_int_equal(bytes(0), bytes(1));
}

/* A tenth more or less than the share is even enough; more is not. */
static void even_enough(void **state)
{
	(void)state;
	begin(3);
	add(0, 1000, 33);
	add(1, 1000, 30);
	add(2, 1000, 27);
	assert_int_equal(spread(), 0);
	tenants[0].host = PLACE_NOWHERE;
	assert_int_equal(spread(), 1); /* a new one goes to the least loaded */
	assert_int_equal(tenants[0].to, 2);
	tenants[0].host = 0;
	add(0, 1000, 1);
	assert_int_equal(spread(), 3);
	assert_true(is_level_now());
}

/* Silent tenants are spread by number, but together they weigh little beside the others. */
static void silent(void **state)
{
	(void)state;
	begin(2);
	add(0, 1000, 20);
	add(0, 0, 200);
	assert_true(spread() > 0);
	assert_in_range(bytes(0), 9000, 11000);
	assert_in_range(bytes(1), 9000, 11000);

	begin(2);
	add(0, 1000, 10);
	add(0, 0, 200);
	add(1, 1000, 10);
	assert_int_equal(spread(), 0);

	begin(2);
	add(0, 1000, 1);
	add(1, 0, 9);
	add(PLACE_NOWHERE, 0, 1);
	assert_int_equal(spread(), 1);
	assert_int_equal(tenants[10].to, 1);
}

/* ---- promises --------------------------------------------------------------------------- */

static void small_case(bool equal, bool weighted)
{
	__u32 i, n = 1 + any(7);

	begin(2 + any(2));
	for (i = 0; i < n_hosts && weighted; i++)
		hosts[i].weight = 1 + any(3);
	for (i = 0; i < n; i++)
		add(any(n_hosts), equal ? 1000 : 200 + any(1800), 1);
}

/* Whatever comes out is level, or was even enough before; and no move can be left out. */
static void assert_needed(__u32 moves)
{
	__u32 at[16], i;

	if (!moves)
		return;
	for (i = 0; i < n_tenants; i++)
		at[i] = tenants[i].to;
	assert_true(is_level(at));
	for (i = 0; i < n_tenants; i++) {
		at[i] = tenants[i].host;
		assert_true(at[i] == tenants[i].to || !is_level(at));
		at[i] = tenants[i].to;
	}
}

static void fewest_where_loads_are_equal(void **state)
{
	__u32 i, moves, moved = 0;

	(void)state;
	seed = 1;
	for (i = 0; i < 4000; i++) {
		small_case(true, i % 2);
		moves = spread();
		assert_needed(moves);
		if (moves)
			assert_int_equal(moves, fewest_moves());
		moved += moves > 0;
	}
	assert_true(moved > 1000);
}

static void few_where_they_are_not(void **state)
{
	__u32 i, moves, moved = 0, more = 0;

	(void)state;
	seed = 2;
	for (i = 0; i < 4000; i++) {
		small_case(false, i % 2);
		moves = spread();
		assert_needed(moves);
		moved += moves > 0;
		more += moves && moves > fewest_moves();
	}
	assert_true(moved > 1000);
	assert_true(more * 10 < moved); /* nine of ten have the fewest */
}

/* Either it was even enough, or it is level afterwards. */
static void level_afterwards(void **state)
{
	__u32 i, k;

	(void)state;
	seed = 6;
	for (k = 0; k < 1000; k++) {
		begin(2 + any(8));
		for (i = 0; i < n_hosts; i++)
			hosts[i].weight = 1 + any(4);
		for (i = 10 + any(30); i; i--)
			add(any(n_hosts), 1000 + any(5000), 1);
		assert_true(!spread() || is_level_now());
	}
}

/* A move that a later one made needless. */
static void one_is_taken_back(void **state)
{
	(void)state;
	begin(3);
	hosts[2].weight = 3;
	add(2, 3000, 1);
	add(1, 6000, 1);
	add(2, 1000, 1);
	assert_needed(spread());
	assert_int_equal(tenants[0].to, 2);
}

static void again_nothing(void **state)
{
	__u32 i, k;

	(void)state;
	seed = 3;
	for (k = 0; k < 300; k++) {
		begin(1 + any(12));
		for (i = 0; i < n_hosts; i++)
			hosts[i].weight = 1 + any(4);
		for (i = any(300); i; i--)
			add(any(n_hosts + 1) ? any(n_hosts) : PLACE_NOWHERE,
			    any(3) ? any(1000000) : any(100), 1);
		spread();
		make_it_so();
		assert_int_equal(spread(), 0);
	}
}

static void swap_hosts(__u32 a, __u32 b)
{
	struct place_host host = hosts[a];
	__u32 i;

	hosts[a] = hosts[b];
	hosts[b] = host;
	for (i = 0; i < n_tenants; i++)
		if (tenants[i].host == a || tenants[i].host == b)
			tenants[i].host = tenants[i].host == a ? b : a;
}

static void swap_tenants(__u32 a, __u32 b)
{
	struct place_tenant tenant = tenants[a];

	tenants[a] = tenants[b];
	tenants[b] = tenant;
}

/* Ties go by id and name, whatever the order. */
static void order_does_not_matter(void **state)
{
	static const char *to[200];
	__u32 i, k;

	(void)state;
	seed = 4;
	begin(7);
	for (i = 0; i < 199; i++)
		add(i % 3, i % 4 ? 1000 : 3000, 1);
	for (k = 0; k < 20; k++) {
		assert_true(spread() > 0);
		for (i = 0; i < n_tenants; i++) {
			const char *name = hosts[tenants[i].to].name;

			if (!k)
				to[tenants[i].id] = name;
			assert_string_equal(to[tenants[i].id], name);
		}
		for (i = 0; i < 100; i++)
			swap_tenants(any(n_tenants), any(n_tenants));
		swap_hosts(any(n_hosts), any(n_hosts));
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* From one host to all: the most moves that there can be. */
static void many(void **state)
{
	double before;
	__u32 i;

	(void)state;
	seed = 5;
	begin(MOST_HOSTS);
	for (i = 0; i < MOST_TENANTS; i++)
		add(0, any(20) ? any(1000000) : any(100000000), 1);
	before = seconds();
	assert_true(spread() > MOST_TENANTS / 2);
	make_it_so();
	assert_int_equal(spread(), 0);
	assert_true(seconds() - before < 2); /* 0.3 where nothing else runs */
}

/* ---- backups ----------------------------------------------------------------------------- */

static struct place_backer backers[MOST_HOSTS];
static struct place_ranks ranks[MOST_TENANTS];

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
		cmocka_unit_test(one_joins),
		cmocka_unit_test(one_leaves),
		cmocka_unit_test(one_leaves_and_one_joins),
		cmocka_unit_test(from_central_and_back),
		cmocka_unit_test(nothing_to_place),
		cmocka_unit_test(weights),
		cmocka_unit_test(large_ones_first),
		cmocka_unit_test(even_enough),
		cmocka_unit_test(silent),
		cmocka_unit_test(fewest_where_loads_are_equal),
		cmocka_unit_test(few_where_they_are_not),
		cmocka_unit_test(level_afterwards),
		cmocka_unit_test(one_is_taken_back),
		cmocka_unit_test(again_nothing),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(many),
		cmocka_unit_test(backups_in_other_zones),
		cmocka_unit_test(backups_without_zones),
		cmocka_unit_test(backups_are_spread),
		cmocka_unit_test(backups_by_weight),
		cmocka_unit_test(backups_again_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
