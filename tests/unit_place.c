// SPDX-License-Identifier: GPL-2.0-only
/* Whose gateway goes where: what first.h promises, and against all placements of small cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/place/first.h"

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

/* No move helps, as first.h has it; of loads above the least that a tenant counts as. */
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
	assert_true(seconds() - before < 8); /* 0.3, and 2.5 with sanitizers */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
