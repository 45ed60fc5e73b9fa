// SPDX-License-Identifier: GPL-2.0-only
/* Flows as agents tell them: what is written is read, and what nobody wrote is refused. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/flow_report.h"
#include "agent/flow_table.h"
#include "base/text.h"

#include <cmocka.h>

enum { RUNS = 200000, V4_LEN = 32, V6_LEN = 68, HEADER = 8 };

static struct flow_report v4(__u16 sport)
{
	return (struct flow_report){
		.tenant = 100,
		.flow = {.src = addr_from_v4(htonl(0x0a000001)),
			 .dst = addr_from_v4(htonl(0xcb007109)),
			 .nat = addr_from_v4(htonl(0xcb00714d)),
			 .sport = htons(sport),
			 .dport = htons(80),
			 .nat_port = htons(40000),
			 .proto = IPPROTO_TCP,
			 .state = TCP_CONNTRACK_ESTABLISHED,
			 .expiry = 432000},
	};
}

static struct flow_report v6(__u16 sport)
{
	struct flow_report r = v4(sport);

	r.flow.src = (struct tsw_addr){{htonl(0xfd000000), 0, 0, htonl(1)}};
	r.flow.dst = (struct tsw_addr){{htonl(0x20010db8), 0, 0, htonl(9)}};
	r.flow.nat = (struct tsw_addr){{htonl(0x20010db8), 0, 0, htonl(0x77)}};
	r.flow.proto = IPPROTO_UDP;
	r.flow.state = 0;
	r.flow.expiry = 120;
	return r;
}

static int read_all(const struct flow_datagram *d, struct flow_report *reports, bool *end)
{
	memset(reports, 0xa5, FLOW_REPORTS * sizeof(*reports));
	return flow_read(d->octets, d->len, reports, end);
}

static void check_same(const struct flow_report *a, const struct flow_report *b)
{
	assert_int_equal(a->tenant, b->tenant);
	assert_int_equal(a->gone, b->gone);
	assert_memory_equal(&a->flow, &b->flow, sizeof(a->flow));
}

static void what_is_written_is_read(void **state)
{
	struct flow_report want[] = {v4(1), v6(2), v4(3), v6(65535)}, got[FLOW_REPORTS];
	struct flow_datagram d = {};
	bool end;
	size_t i;

	want[2].gone = true;
	want[2].flow.state = TCP_CONNTRACK_TIME_WAIT;
	for (i = 0; i < 4; i++)
		assert_true(flow_write(&d, &want[i]));
	assert_int_equal(d.len, HEADER + 2 * V4_LEN + 2 * V6_LEN);
	assert_int_equal(read_all(&d, got, &end), 4);
	assert_false(end);
	for (i = 0; i < 4; i++)
		check_same(&got[i], &want[i]);
	flow_write_end(&d);
	assert_int_equal(read_all(&d, got, &end), 4);
	assert_true(end);
	(void)state;
}

static void no_more_than_fits(void **state)
{
	struct flow_report r = v4(1), got[FLOW_REPORTS];
	struct flow_datagram d = {}, six = {}, none = {};
	bool end;
	int n = 0;

	for (; n < 100 && flow_write(&d, &r); n++)
		r.flow.sport = htons((__u16)(n + 2));
	assert_int_equal(n, FLOW_REPORTS);
	assert_int_equal(read_all(&d, got, &end), FLOW_REPORTS);
	assert_int_equal(got[FLOW_REPORTS - 1].flow.sport, htons(FLOW_REPORTS));
	r = v6(1);
	for (n = 0; n < 100 && flow_write(&six, &r);)
		n++;
	assert_int_equal(n, (FLOW_DATAGRAM - HEADER) / V6_LEN);
	assert_int_equal(read_all(&six, got, &end), n);
	flow_write_end(&none);
	assert_int_equal(read_all(&none, got, &end), 0);
	assert_true(end);
	(void)state;
}

/* One octet of a datagram with one report of IPv4 is another. */
struct wrong {
	const char *what;
	size_t at;
	__u8 value;
};

static const struct wrong wrongs[] = {
	{"magic", 0, 0},
	{"version", 4, 2},
	{"flags", 5, 2},
	{"more reports", 7, 2},
	{"fewer reports", 7, 0},
	{"many reports", 6, 0xff},
	{"flags of a report", 8, 4},
	{"the family", 8, 2},
	{"protocol", 9, IPPROTO_SCTP},
	{"no protocol", 9, 0},
	{"of UDP a state", 9, IPPROTO_UDP},
	{"state", 10, TCP_CONNTRACK_MAX},
	{"not established yet", 10, TCP_CONNTRACK_SYN_RECV},
	{"over", 10, TCP_CONNTRACK_TIME_WAIT},
	{"what is zero", 11, 1},
	{"and also", 27, 1},
	{"no port", 21, 0},
};

static void other_octets_are_refused(void **state)
{
	struct flow_report r = v4(1), got[FLOW_REPORTS];
	struct flow_datagram d = {}, bad;
	bool end;
	size_t i;

	flow_write(&d, &r);
	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		bad = d;
		bad.octets[wrongs[i].at] = wrongs[i].value;
		if (read_all(&bad, got, &end) != -EBADMSG)
			fail_msg("%s is taken", wrongs[i].what);
	}
	for (bad = d, bad.len = 0; bad.len < d.len; bad.len++)
		assert_int_equal(read_all(&bad, got, &end), -EBADMSG);
	bad.len = d.len + 1;
	assert_int_equal(read_all(&bad, got, &end), -EBADMSG);
	(void)state;
}

/* IPv4 in the clothes of IPv6 would be two keys for one flow. */
static void a_mapped_address_is_refused(void **state)
{
	struct flow_report r = v6(1), got[FLOW_REPORTS];
	struct flow_datagram d = {};
	bool end;

	r.flow.dst = addr_from_v4(htonl(0xcb007109));
	flow_write(&d, &r);
	assert_int_equal(read_all(&d, got, &end), -EBADMSG);
	(void)state;
}

/* Whatever comes: no octet beyond is read, and what is taken is written the same again. */
static void garbage_harms_nobody(void **state)
{
	struct flow_report r[] = {v4(1), v6(2)}, got[FLOW_REPORTS];
	struct flow_datagram d, again;
	size_t taken = 0;
	int run, i, n, flips;
	__u8 *exact;
	bool end;

	srand(7);
	for (run = 0; run < RUNS; run++) {
		memset(&d, 0, sizeof(d));
		for (i = 0; i < rand() % 40; i++)
			flow_write(&d, &r[rand() % 2]);
		for (flips = rand() % 4; flips; flips--)
			d.octets[rand() % (rand() % 2 ? 60 : FLOW_DATAGRAM)] = (__u8)rand();
		d.len = rand() % 8 ? d.len : (size_t)rand() % (FLOW_DATAGRAM + 1);
		exact = malloc(d.len + !d.len); /* a sanitizer sees what is behind it */
		memcpy(exact, d.octets, d.len);
		n = flow_read(exact, d.len, got, &end);
		free(exact);
		if (n < 0)
			continue;
		taken++;
		memset(&again, 0, sizeof(again));
		if (end)
			flow_write_end(&again);
		for (i = 0; i < n; i++)
			assert_true(flow_write(&again, &got[i]));
		assert_true(!again.len || again.len == d.len);
		assert_memory_equal(again.octets, d.octets, again.len);
	}
	assert_in_range(taken, RUNS / 20, RUNS - RUNS / 20);
	(void)state;
}

/* ---- the table --------------------------------------------------------------------------- */

static void a_table_keeps_tenants_apart(void **state)
{
	const struct flow_report r = v4(1), other = v4(2);
	struct flow_table t;
	struct guest *g;

	table_init(&t);
	g = table_add(&t, 100, &r.flow);
	assert_non_null(g);
	assert_null(table_find(&t, 200, &r.flow));
	assert_null(table_find(&t, 100, &other.flow));
	assert_non_null(table_add(&t, 200, &r.flow));
	assert_non_null(table_add(&t, 100, &other.flow));
	assert_ptr_equal(table_find(&t, 100, &r.flow), g);
	assert_int_equal(table_count(&t, 100), 2);
	assert_int_equal(table_count(&t, 200), 1);
	assert_int_equal(table_count(&t, 300), 0);
	table_touch(&t, g);
	assert_ptr_equal(TAILQ_LAST(&t.list, guest_list), g);
	table_del(&t, g);
	assert_null(table_find(&t, 100, &r.flow));
	assert_non_null(table_find(&t, 200, &r.flow));
	assert_int_equal(table_count(&t, 100), 1);
	table_free(&t);
	assert_int_equal(t.n, 0);
	assert_null(t.tenants);
	(void)state;
}

static void a_table_has_an_end(void **state)
{
	struct flow_report r = v4(0);
	struct flow_table t;
	__u32 i;

	table_init(&t);
	for (i = 0; i < FLOWS_MOST; i++) {
		r.flow.dst.w[3] = htonl(i);
		assert_non_null(table_add(&t, i % 10, &r.flow));
	}
	r.flow.dst.w[3] = htonl(i);
	assert_null(table_add(&t, 5, &r.flow));
	assert_null(table_add(&t, 11, &r.flow));
	table_del(&t, TAILQ_FIRST(&t.list));
	assert_non_null(table_add(&t, 5, &r.flow));
	table_free(&t);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(no_more_than_fits),
		cmocka_unit_test(other_octets_are_refused),
		cmocka_unit_test(a_mapped_address_is_refused),
		cmocka_unit_test(garbage_harms_nobody),
		cmocka_unit_test(a_table_keeps_tenants_apart),
		cmocka_unit_test(a_table_has_an_end),
	};

	return cmocka_run_group_tests_name("flow_report", tests, NULL, NULL);
}
