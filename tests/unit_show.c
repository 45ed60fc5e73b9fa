// SPDX-License-Identifier: GPL-2.0-only
/* What other programs and terminals are shown: nobody's name breaks it, and rates are right. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "tools/graph/dot.h"
#include "tools/metrics/expo.h"
#include "tools/top/rates.h"
#include "tools/top/screen.h"

#include <cmocka.h>

enum { ROOM = 64 };

static void labels(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"red", "red"},
		{"", ""},
		{"a\"b\\c\nd", "a\\\"b\\\\c\\nd"},
		{"gr\xc3\xbcn", "gr\xc3\xbcn"},
		/* Not UTF-8, which the format is. */
		{"\xff\xc3", "\\\\xff\\\\xc3"},
		{"\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80"},
	};
	char out[ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expo_escape(cases[i].text, out, sizeof(out));
		assert_string_equal(out, cases[i].want);
	}
	/* Cut, but not within an escape. */
	expo_escape("ab\"\"", out, 6);
	assert_string_equal(out, "ab\\\"");
}

static void dot_labels(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"red", "red"},
		{"\"];x", "\\\"];x"},
		{"\\N\\", "\\\\N\\\\"},
		{"&lt;b>", "&amp;lt;b>"},
		{"\n\x7f\xff", "\\\\x0a\\\\x7f\\\\xff"},
		{"\xc2\x9b", "\\\\xc2\\\\x9b"},
	};
	char out[ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(dot_escape(cases[i].text, out, sizeof(out)), cases[i].want);
	assert_string_equal(dot_escape("ab&&", out, 8), "ab&amp;");
}

static void colours(void **state)
{
	__u32 ids[DOT_COLOURS + 1];
	unsigned char slot[DOT_COLOURS + 1], more[DOT_COLOURS + 1];
	size_t i, j;

	(void)state;
	for (i = 0; i <= DOT_COLOURS; i++)
		ids[i] = (__u32)(100 * (i + 1));
	dot_colours(ids, DOT_COLOURS, slot);
	for (i = 0; i < DOT_COLOURS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(dot_colour(slot[i]), dot_colour(slot[j]));
	/* One more, and all others stay as they are. */
	dot_colours(ids, DOT_COLOURS + 1, more);
	assert_memory_equal(slot, more, DOT_COLOURS);
	assert_true(more[DOT_COLOURS] < DOT_COLOURS);
}

/* WCAG 2.1's relative luminance and contrast, of black on it. */
static double contrast(const char *colour)
{
	static const double weight[] = {0.2126, 0.7152, 0.0722};
	const unsigned long rgb = strtoul(colour + 1, NULL, 16);
	double light = 0.05;
	int i;

	for (i = 0; i < 3; i++) {
		double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255, linear = 1;
		int power;

		/* c to the power of 2.4, nearly: between its square and its cube */
		for (power = 0; power < 2; power++)
			linear *= c;
		light += weight[i] * (0.6 * linear + 0.4 * linear * c);
	}
	return light / 0.05;
}

static void readable(void **state)
{
	unsigned char slot;

	(void)state;
	for (slot = 0; slot < DOT_COLOURS; slot++)
		assert_true(contrast(dot_colour(slot)) > 4.5);
}

static void terminal(void **state)
{
	char out[ROOM];

	(void)state;
	assert_string_equal(screen_text("red", 5, out, sizeof(out)), "red  ");
	assert_string_equal(screen_text("longer", 3, out, sizeof(out)), "lon");
	assert_string_equal(screen_text("\x1b[2J\x07\x9b\xff", 7, out, sizeof(out)), "?[2J???");
	assert_string_equal(screen_text("x", 0, out, sizeof(out)), "");
	/* In a locale that has no such characters. */
	setlocale(LC_CTYPE, "C");
	assert_string_equal(screen_text("\xc3\xbc", 2, out, sizeof(out)), "? ");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_string_equal(screen_text("\xc3\xbc", 2, out, sizeof(out)), "\xc3\xbc ");
	/* A wide one that would go over the edge. */
	assert_string_equal(screen_text("\xe4\xb8\xad\xe4\xb8\xad", 3, out, sizeof(out)),
			    "\xe4\xb8\xad ");
	/* C1's CSI, right-to-left override, no width at all. */
	assert_string_equal(screen_text("\xc2\x9b\xe2\x80\xae\xcc\x81", 3, out, sizeof(out)),
			    "???");
	setlocale(LC_CTYPE, "C");
	/* What there is no room for is not begun. */
	assert_string_equal(screen_text("abcdef", 6, out, 4), "abc");
}

static void rate_texts(void **state)
{
	static const struct {
		double rate;
		const char *want;
	} cases[] = {
		{0, "0"},	 {0.4, "0"},	   {999.4, "999"},  {999.6, "1.00k"},
		{1234, "1.23k"}, {99949, "99.9k"}, {99960, "100k"}, {999600, "1.00M"},
		{1e10, "10.0G"}, {5e18, "5.00E"},
	};
	char text[8];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(rate_text(cases[i].rate, text), cases[i].want);
}

/* One tenant, with so many packets sent, of 100 octets, and so many dropped; or none, id 0. */
struct world {
	struct tenant_row row;
	__u32 by_id;
	struct tsw_stats stats;
	struct drop_row drop;
	struct sample sample;
};

static void set(struct world *w, __u32 id, __u64 tx, __u64 drops, long seconds)
{
	*w = (struct world){.row = {.id = id, .tenant.name = "red"}};
	w->stats.tunnel_tx = (struct tsw_counter){tx, tx * 100};
	w->drop.key = (struct tsw_drop_key){id, TSW_DROP_SPOOFED_MAC, TSW_DIR_FROM_ENDPOINT};
	w->drop.count = (struct tsw_counter){drops, drops * 100};
	w->sample = (struct sample){.at.tv_sec = seconds,
				    .tenants = {&w->row, id ? 1 : 0, &w->by_id},
				    .stats = &w->stats,
				    .drops = {&w->drop, id ? 1 : 0, 1}};
}

static void expect(const struct world *before, const struct world *now, double packets,
		   double drops)
{
	struct drop_rate *all;
	struct rates rates;
	size_t n;

	assert_int_equal(rates_between(&before->sample, &now->sample, &rates), 0);
	assert_int_equal(rates.n, now->sample.tenants.n);
	assert_true(rates.row[0].of[RATE_TX_PACKETS] == packets);
	assert_true(rates.row[0].of[RATE_TX_BITS] == packets * 800);
	assert_true(rates.row[0].of[RATE_BITS] == packets * 800);
	assert_true(rates.row[0].of[RATE_RX_BITS] == 0);
	assert_true(rates.row[0].of[RATE_DROPS] == drops);
	assert_true(rates.sum[RATE_DROPS] == drops);
	assert_int_equal(drop_rates(&before->sample, &now->sample, now->row.id, &all, &n), 0);
	assert_int_equal(n, 1);
	assert_true(all[0].rate == drops);
	free(all);
	rates_free(&rates);
}

static void differences(void **state)
{
	struct world before, now;

	(void)state;
	set(&before, 100, 1000, 10, 50);
	set(&now, 100, 3000, 30, 52);
	expect(&before, &now, 1000, 10);
	/* Deleted and made again: what it has counted since. */
	set(&now, 100, 400, 4, 52);
	expect(&before, &now, 200, 2);
	/* It was not there before. */
	set(&before, 0, 0, 0, 50);
	expect(&before, &now, 200, 2);
	/* Another tenant had the id. */
	set(&before, 100, 100, 0, 50);
	snprintf(before.row.tenant.name, sizeof(before.row.tenant.name), "blue");
	expect(&before, &now, 200, 2);
}

static void orders(void **state)
{
	struct rates_row rows[] = {{.id = 1, .name = "a", .of[RATE_DROPS] = 5},
				   {.id = 2, .name = "b", .of[RATE_DROPS] = 7},
				   {.id = 3, .name = "c", .of[RATE_DROPS] = 5}};
	static const struct {
		unsigned int by;
		bool reverse;
		const char *want;
	} cases[] = {{RATE_DROPS, false, "bac"}, {RATE_DROPS, true, "acb"},
		     {RATE_BITS, false, "abc"},	 {RATE_BITS, true, "abc"},
		     {RATES, false, "abc"},	 {RATES, true, "cba"}};
	struct rates rates = {.row = rows, .n = 3};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rates_sort(&rates, cases[i].by, cases[i].reverse);
		for (j = 0; j < rates.n; j++)
			assert_int_equal(rates.row[j].name[0], cases[i].want[j]);
	}
}

/* What is printed: a list of so many items, ended unless something failed, and an object. */
static void print_list(struct out *out, int items, bool ended)
{
	out_list_begin(out);
	while (items--)
		out_item(out, json_pack("{s:i}", "n", items));
	if (ended)
		out_list_end(out);
	out_object(out, json_pack("{s:s}", "error", "why"));
}

/* Whatever goes wrong half-way, it is JSON. */
static void broken_lists(void **state)
{
	static const struct {
		struct out out;
		int items;
		bool ended;
		const char *want;
	} cases[] = {
		{{.json = true}, 0, false, "[{\"error\":\"why\"}]\n"},
		{{.json = true}, 2, false, "[{\"n\":1},{\"n\":0},{\"error\":\"why\"}]\n"},
		{{.json = true}, 1, true, "[{\"n\":0}]\n{\"error\":\"why\"}\n"},
		{{.json = true, .pretty = true},
		 1,
		 false,
		 "[\n  {\n    \"n\": 0\n  },\n  {\n    \"error\": \"why\"\n  }\n]\n"},
		{{.json = false}, 1, false, "0\nerror why\n"},
	};
	FILE *was = stdout;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct out out = cases[i].out;
		char *text = NULL;
		size_t n;

		stdout = open_memstream(&text, &n);
		print_list(&out, cases[i].items, cases[i].ended);
		fclose(stdout);
		stdout = was;
		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),	cmocka_unit_test(dot_labels),
		cmocka_unit_test(colours),	cmocka_unit_test(readable),
		cmocka_unit_test(terminal),	cmocka_unit_test(rate_texts),
		cmocka_unit_test(differences),	cmocka_unit_test(orders),
		cmocka_unit_test(broken_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
