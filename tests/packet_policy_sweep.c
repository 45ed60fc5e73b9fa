// SPDX-License-Identifier: GPL-2.0-only
/*
 * What policies follow is read and swept by commands while frames are judged: no verdict differs.
 * What a sweep takes in the very moment in which a connection begins costs that one its entry, and
 * the next frame of who began it brings it back.
 *
 * Red and blue have the same endpoints, groups and rule: A, here, reaches C, on another host, by
 * TCP at 5432. Blue never does, so nothing of C's is an answer there.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "policies.h"
#include "sweep_lab.h"

enum { WEB = 1, DB, SQL = 1 };
enum { SYN = 0x02, ACK = 0x10 };
enum { SECONDS = 1, CHUNK = 64, FEW = 5, PORTS = 65535, TRIES = 100, LONG = 10000 };

static const struct outer of_red = {FROM_HOST2};
static const struct outer of_blue = {FROM_HOST3, .vni = BLUE};

static void begin(__u32 tenant)
{
	lab_policy_begin(tenant, TSW_POLICY_ON, false);
	lab_policy_member(tenant, MAC_A, WEB, 0);
	lab_policy_member(tenant, MAC_C, DB, 0);
	lab_policy_way(&(const struct policy_way){.tenant = tenant,
						  .from = WEB,
						  .to = DB,
						  .proto = IPPROTO_TCP,
						  .length = 16,
						  .port = 5432,
						  .number = SQL});
}

static int setup(void **state)
{
	(void)state;
	lab_fill();
	counts_clear(); /* hosts have counters */
	begin(RED);
	begin(BLUE);
	return 0;
}

static bool asks(__u16 port)
{
	return policy_passes(FROM_PORT, RED_A,
			     &(const struct spec){.dst = MAC_C,
						  .to = IP_C,
						  .kind = KIND_TCP,
						  .sport = port,
						  .dport = 5432,
						  .tcp_flags = SYN});
}

static bool answers(const struct outer *of, __u16 port)
{
	return policy_passes(FROM_WIRE, WIRE,
			     &(const struct spec){.outer = of,
						  .src = MAC_C,
						  .from = IP_C,
						  .dst = MAC_A,
						  .to = IP_A,
						  .kind = KIND_TCP,
						  .sport = 5432,
						  .dport = port,
						  .tcp_flags = SYN | ACK});
}

static size_t buckets(void)
{
	struct tsw_policy_conn_key key, *prev = NULL;
	size_t n = 0;

	for (; !bpf_map_get_next_key(lab_map(M_POLICY_CONNS), prev, &key); prev = &key)
		n += key.bucket != TSW_POLICY_SPARE;
	return n;
}

/* That is not the spare one. */
static struct tsw_policy_conn_key first_bucket(void)
{
	struct tsw_policy_conn_key key, *prev = NULL;

	do {
		assert_int_equal(bpf_map_get_next_key(lab_map(M_POLICY_CONNS), prev, &key), 0);
		prev = &key;
	} while (key.bucket == TSW_POLICY_SPARE);
	return key;
}

/* ---- what is over --------------------------------------------------------------------------- */

static void over(void **state)
{
	enum { FIRST = 40000, N = 40 };
	size_t n;

	(void)state;
	for (__u16 port = FIRST; port < FIRST + N; port++)
		assert_true(asks(port));
	n = buckets();
	assert_in_range(n, N / 2, N);
	assert_int_equal(sweep_lab(lab_object(), false), 0);
	assert_true(answers(&of_red, FIRST));
	lab_policy_age(RED, 40);
	assert_int_equal(lab_policy_conns(RED), 1);
	assert_in_range(sweep_lab(lab_object(), true), n - 1, n - 1);
	assert_int_equal(buckets(), n);
	assert_int_equal(sweep_lab(lab_object(), false), n - 1);
	assert_int_equal(buckets(), 1);
	assert_true(answers(&of_red, FIRST));
	assert_false(answers(&of_red, FIRST + 1));
	assert_true(asks(FIRST + 1));
	assert_true(answers(&of_red, FIRST + 1));
}

/* Of a table that the tenant has no more, and of a tenant that nothing is said of. */
static void forgotten(void **state)
{
	const __u32 red = RED;

	(void)state;
	assert_true(asks(40000));
	lab_policy_table(RED, 4711);
	assert_false(answers(&of_red, 40000));
	assert_true(asks(40001));
	assert_int_equal(sweep_lab(lab_object(), false), 2); /* with the spare one */
	assert_true(answers(&of_red, 40001));
	lab_unset(M_POLICIES, &red);
	assert_int_equal(sweep_lab(lab_object(), false), 2);
	assert_int_equal(buckets(), 0);
}

/* What a program of red's still writes into memory that the kernel has given to blue's bucket. */
static void anothers_memory(void **state)
{
	struct tsw_policy_conn_key key;
	struct tsw_policy_bucket bucket;

	(void)state;
	lab_policy_connections(RED, FEW);
	lab_policy_connections(BLUE, FEW);
	assert_true(asks(40000));
	key = first_bucket();
	assert_int_equal(bpf_map_lookup_elem(lab_map(M_POLICY_CONNS), &key, &bucket), 0);
	key.tenant = key.table = BLUE;
	lab_set(M_POLICY_CONNS, &key, &bucket);
	assert_true(answers(&of_red, 40000));
	assert_false(answers(&of_blue, 40000));
}

/* ---- no bucket can be made ------------------------------------------------------------------- */

/* Keys of a tenant that is not there, until the map takes no more. */
static void fill_up(void)
{
	struct tsw_policy_conn_key key = {.tenant = BLUE, .table = 1};
	static const struct tsw_policy_bucket empty;

	while (!map_update(lab_map(M_POLICY_CONNS), &key, &empty, BPF_NOEXIST))
		key.bucket++;
	assert_int_equal(errno, E2BIG);
}

static void empty_again(void)
{
	struct tsw_policy_conn_key key = {.tenant = BLUE, .table = 1};

	while (!bpf_map_delete_elem(lab_map(M_POLICY_CONNS), &key))
		key.bucket++;
}

static size_t in_spare(void)
{
	const struct tsw_policy_conn_key key = {RED, 1, TSW_POLICY_SPARE};
	struct tsw_policy_bucket bucket;
	size_t n = 0;

	assert_int_equal(bpf_map_lookup_elem(lab_map(M_POLICY_CONNS), &key, &bucket), 0);
	for (int i = 0; i < TSW_POLICY_BUCKET; i++)
		n += bucket.conn[i].until != 0;
	return n;
}

/*
 * The kernel refuses buckets for a while, as while a command reads the map. Connections begin, are
 * answered and go on all the same; afterwards they are where others are.
 */
static void refused(void **state)
{
	enum { FIRST = 50000, N = TSW_POLICY_BUCKET };

	(void)state;
	lab_policy_connections(RED, 1 << 17);
	lab_policy_table(RED, 1);
	assert_true(asks(FIRST - 1));
	fill_up();
	for (__u16 port = FIRST; port < FIRST + N; port++) {
		assert_false(answers(&of_red, port));
		assert_true(asks(port));
		assert_true(answers(&of_red, port));
		assert_true(answers(&of_red, port));
		assert_false(answers(&of_blue, port));
	}
	assert_int_equal(in_spare(), N);
	assert_false(asks(FIRST + N));
	empty_again();
	for (__u16 port = FIRST; port < FIRST + N; port++)
		assert_true(answers(&of_red, port));
	assert_int_equal(in_spare(), 0);
	for (__u16 port = FIRST; port < FIRST + N; port++)
		assert_true(answers(&of_red, port));
	/* A sweep leaves the spare bucket. */
	lab_policy_age(RED, LONG);
	assert_true(sweep_lab(lab_object(), false) > 0);
	fill_up();
	assert_true(asks(FIRST));
	assert_true(answers(&of_red, FIRST));
	empty_again();
}

struct who {
	__u32 dev;
	const char *mac, *ip;
};

/* So many connections of N begin and are answered, from port FIRST on. */
static size_t open_of(const struct who *who, __u16 first, __u16 n)
{
	size_t good = 0;

	for (__u16 port = first; port < first + n; port++)
		good += policy_passes(FROM_PORT, who->dev,
				      &(const struct spec){.src = who->mac,
							   .from = who->ip,
							   .dst = MAC_C,
							   .to = IP_C,
							   .kind = KIND_TCP,
							   .sport = port,
							   .dport = 5432,
							   .tcp_flags = SYN}) &&
			policy_passes(FROM_WIRE, WIRE,
				      &(const struct spec){.outer = &of_red,
							   .src = MAC_C,
							   .from = IP_C,
							   .dst = who->mac,
							   .to = who->ip,
							   .kind = KIND_TCP,
							   .sport = 5432,
							   .dport = port,
							   .tcp_flags = SYN | ACK});
	return good;
}

/* Nobody keeps all that is left: who has the whole spare bucket gives half of it away. */
static void refused_to_one(void **state)
{
	enum { FIRST = 50000, N = TSW_POLICY_BUCKET };
	static const struct who a = {RED_A, MAC_A, IP_A}, b = {RED_B, MAC_B, IP_B};
	size_t left = 0;

	(void)state;
	lab_policy_member(RED, MAC_B, WEB, 0);
	lab_policy_connections(RED, 1 << 17);
	lab_policy_table(RED, 1);
	assert_true(asks(FIRST - 1));
	fill_up();
	assert_int_equal(open_of(&a, FIRST, 2 * N), N);
	assert_int_equal(open_of(&b, FIRST, 2 * N), N / 2);
	for (__u16 port = FIRST; port < FIRST + N; port++)
		left += answers(&of_red, port);
	assert_int_equal(left, N / 2);
	empty_again();
}

/* ---- meanwhile ------------------------------------------------------------------------------ */

struct other {
	pthread_t thread;
	atomic_bool over;
	size_t rounds;
	int cpu;
};

static void pin(int nth)
{
	const int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(nth % n, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* As `switch check` and `metrics` read it. */
static void *scan(void *context)
{
	struct tsw_policy_conn_key keys[CHUNK], cursor;
	static struct tsw_policy_bucket values[CHUNK];
	struct other *o = context;
	bool first;
	__u32 n;

	pin(o->cpu);
	for (; !atomic_load(&o->over); o->rounds++) {
		first = true;
		do {
			n = CHUNK;
		} while (!bpf_map_lookup_batch(lab_map(M_POLICY_CONNS), first ? NULL : &cursor,
					       &cursor, keys, values, &n, NULL) &&
			 !(first = false));
	}
	return NULL;
}

static void *sweep(void *context)
{
	struct other *o = context;

	pin(o->cpu);
	for (; !atomic_load(&o->over); o->rounds++)
		sweep_lab(lab_object(), false);
	return NULL;
}

static void start(struct other *o, void *(*what)(void *context), int cpu)
{
	pin(0);
	*o = (struct other){.cpu = cpu};
	assert_int_equal(pthread_create(&o->thread, NULL, what, o), 0);
}

static void stop(struct other *o)
{
	atomic_store(&o->over, true);
	pthread_join(o->thread, NULL);
	assert_true(o->rounds > 0);
}

/* Each connection is judged as if nobody looked. CPU: where somebody does. */
static void scanned_from(int cpu)
{
	const time_t end = time(NULL) + SECONDS + 1;
	unsigned int n = 0, wrong = 0;
	struct other o;

	lab_policy_connections(RED, 1 << 17); /* each has room */
	start(&o, scan, cpu);
	for (; time(NULL) < end && n < PORTS; n++) {
		const __u16 port = (__u16)(n + 1);

		wrong += answers(&of_red, port);
		wrong += !asks(port);
		wrong += !answers(&of_red, port);
		wrong += answers(&of_blue, port);
	}
	stop(&o);
	print_message("%u connections while it was read %zu times\n", n, o.rounds);
	assert_int_equal(wrong, 0);
	assert_true(n > 0);
}

static void scanned(void **state)
{
	(void)state;
	scanned_from(1);
}

static void scanned_here(void **state)
{
	(void)state;
	scanned_from(0);
}

/*
 * One bucket, in which all is always over, so that it is swept while the next connection begins in
 * it. Who asks is never refused; an answer may be, but then the next question brings it back; and
 * what blue's C says is no answer, though buckets of both have each other's memory.
 */
static void swept_meanwhile(void **state)
{
	const time_t end = time(NULL) + SECONDS + 1;
	unsigned int n = 0, refused = 0, lost = 0, strange = 0, tries;
	struct other o;

	(void)state;
	lab_policy_connections(RED, FEW);
	lab_policy_connections(BLUE, FEW);
	start(&o, sweep, 1);
	for (; time(NULL) < end; n++) {
		refused += !asks(40000);
		for (tries = 0; tries < TRIES && !answers(&of_red, 40000); tries++)
			refused += !asks(40000);
		lost += tries > 0;
		refused += tries == TRIES;
		strange += answers(&of_blue, 40000);
		lab_policy_age(RED, LONG);
	}
	stop(&o);
	print_message("%u connections in %zu sweeps, of which %u were lost at first\n", n, o.rounds,
		      lost);
	assert_int_equal(refused, 0);
	assert_int_equal(strange, 0);
	assert_true(lost < n / 10);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(over),	      TEST(forgotten), TEST(anothers_memory), TEST(refused),
		TEST(refused_to_one), TEST(scanned),   TEST(scanned_here),    TEST(swept_meanwhile),
	};
	const struct packet_suite suite = {"policy sweep", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
