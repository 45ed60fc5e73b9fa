// SPDX-License-Identifier: GPL-2.0-only
/* From the user's text to values: what is taken, what is refused, and with which words. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"

#include <cmocka.h>

/* A refusal is a misuse, and quotes the user's own text. */
static void assert_refused(int result, const char *text)
{
	assert_int_not_equal(result, 0);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	assert_non_null(strstr(failure()->text, quoted(text)));
}

static void numbers(void **state)
{
	static const char *const refused[] = {
		"",	    "0",   "-1",   "+1",  "1e3", "0x10",       "16777216",
		" 1",	    "1 ",  "1.0",  "abc", "1a",	 "4294967297", "99999999999999999999999",
		"\xd9\xa1", "1\n", "VNI 1"};
	__u32 value = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_number(refused[i], 1, 16777215, &value), refused[i]);
	assert_non_null(strstr(failure()->text, "a decimal number from 1 to 16777215"));
	assert_int_equal(parse_number("1", 1, 16777215, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(parse_number("16777215", 1, 16777215, &value), 0);
	assert_int_equal(value, 16777215);
	assert_int_equal(parse_number("4294967295", 1, 4294967295U, &value), 0);
	assert_int_equal(value, 4294967295U);
	assert_int_equal(parse_number("0", 0, 1, &value), 0);
	assert_int_equal(value, 0);
}

static void seconds(void **state)
{
	/* clang-format off */
	static const char *const refused[] = {
		"", "-1", "+1", ".", ".5", "1.", "1e3", "0x10", " 1", "1 ", "1s", "inf", "nan", "1..2",
		"86401", "86400.001", "1.2345", "1.2.3", "99999999999999999999999"};
	/* clang-format on */
	static const struct {
		const char *text;
		__u32 ms;
	} taken[] = {{"0", 0},	   {"0.0", 0},	  {"10", 10000},       {"0.25", 250},
		     {"0.001", 1}, {"1.5", 1500}, {"86400", 86400000}, {"86400.000", 86400000},
		     {"007", 7000}};
	__u32 ms;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_seconds(refused[i], 86400, &ms), refused[i]);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		ms = 1234567;
		assert_int_equal(parse_seconds(taken[i].text, 86400, &ms), 0);
		assert_int_equal(ms, taken[i].ms);
	}
}

static void rates(void **state)
{
	static const struct {
		const char *text;
		__u64 rate;
	} taken[] = {
		{"none", 0},
		{"1000", 1000},
		{"8000bit", 8000},
		{"100mbit", 100000000},
		{"100MBit", 100000000},
		{"1kibit", 1024},
		{"3mibit", 3 << 20},
		{"1tbit", 1000000000000},
		{"1kbps", 8000},
		{"125bps", 1000},
		{"10mbps", 80000000},
		{"1gibps", 8ULL << 30},
	};
	static const char *const refused[] = {
		"",
		"0",
		"0mbit",
		"999",
		"124bps",
		"1001gbit",
		"2tbit",
		"1tibit",
		"1.5mbit",
		"-1mbit",
		"+1mbit",
		" 1mbit",
		"1 mbit",
		"1mbits",
		"1m",
		"mbit",
		"1mbit/s",
		"0x10mbit",
		"nonesuch",
		"125gibps",
		"99999999999999999999mbit",
		"18446744073709551617",
	};
	__u64 rate;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		assert_int_equal(parse_rate(taken[i].text, &rate), 0);
		assert_int_equal(rate, taken[i].rate);
	}
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_rate(refused[i], &rate), refused[i]);
	assert_non_null(strstr(failure()->text, "use 1kbit to 1tbit"));
}

static void sizes(void **state)
{
	static const char *const refused[] = {"",     "0",	  "0k",	 "4g",	 "4294967296",
					      "-1",   "1.5k",	  "1 k", "1kib", "k",
					      "1bit", "4194304k", "x"};
	__u32 size;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_size(refused[i], &size), refused[i]);
	assert_int_equal(parse_size("none", &size), 0);
	assert_int_equal(size, 0);
	assert_int_equal(parse_size("1500", &size), 0);
	assert_int_equal(size, 1500);
	assert_int_equal(parse_size("256k", &size), 0);
	assert_int_equal(size, 256 << 10);
	assert_int_equal(parse_size("2Mb", &size), 0);
	assert_int_equal(size, 2 << 20);
	assert_int_equal(parse_size("3g", &size), 0);
	assert_int_equal(size, 3U << 30);
	assert_int_equal(parse_size("4294967295b", &size), 0);
	assert_int_equal(size, 4294967295U);
}

static void names(void **state)
{
	static const char *const refused[] = {
		"",
		".",
		"..",
		"a b",
		"a/b",
		"/",
		"a\tb",
		"a\n",
		"\x7f",
		"a\xc2\x85",
		"\xff",
		"\xc0\xaf",
		"\xed\xa0\x80",
		"\xe2\x82",
		"1234567890123456789012345678901234567890123456789012345678901234"};
	static const char *const taken[] = {
		"a",
		"...",
		"red",
		"grün",
		"\xe7\xba\xa2",
		"a.b-c_d:e",
		"\"",
		"#",
		"123456789012345678901234567890123456789012345678901234567890123"};
	struct tsw_name name;
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_name(refused[i], &name), refused[i]);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		memset(&name, 0xff, sizeof(name));
		assert_int_equal(parse_name(taken[i], &name), 0);
		assert_string_equal(name.s, taken[i]);
		for (j = strlen(taken[i]); j < sizeof(name.s); j++)
			assert_int_equal(name.s[j], 0); /* a key is compared as a whole */
	}
}

static void macs(void **state)
{
	static const char *const refused[] = {"",
					      "02:00:00:00:00",
					      "02:00:00:00:00:1",
					      "2:0:0:0:0:1",
					      "02:00:00:00:00:01:02",
					      "02:00:00:00:00:0g",
					      "02-00-00-00-00-01",
					      "020000000001",
					      "02:00:00:00:00:01 ",
					      "00:00:00:00:00:00",
					      "01:00:5e:00:00:01",
					      "ff:ff:ff:ff:ff:ff"};
	static const struct tsw_mac wanted = {{0x02, 0xab, 0xcd, 0xef, 0x00, 0x01}};
	struct tsw_mac mac;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_mac(refused[i], &mac), refused[i]);
	assert_int_equal(parse_mac("02:ab:CD:eF:00:01", &mac), 0);
	assert_memory_equal(&mac, &wanted, sizeof(mac));
	assert_string_equal(mac_text(&mac), "02:ab:cd:ef:00:01");
}

static void addresses(void **state)
{
	static const char *const refused[] = {"",
					      "10.0.0",
					      "10.0.0.256",
					      "10.0.0.1/24",
					      "010.0.0.1",
					      "0.0.0.0",
					      "0.1.2.3",
					      "127.0.0.1",
					      "224.0.0.1",
					      "239.1.1.1",
					      "240.0.0.1",
					      "::",
					      "255.255.255.255",
					      "::1",
					      "ff02::1",
					      "::ffff:10.0.0.1",
					      "fd00::/64",
					      "fe80::1%eth0",
					      "1",
					      "x"};
	struct tsw_addr addr;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_ip(refused[i], &addr), refused[i]);
	assert_int_equal(parse_ip("10.0.0.1", &addr), 0);
	assert_true(addr_is_v4(&addr));
	assert_int_equal(addr.w[3], htonl(0x0a000001));
	assert_string_equal(addr_text(&addr), "10.0.0.1");
	assert_int_equal(parse_ip("FD00:0:0::1", &addr), 0);
	assert_false(addr_is_v4(&addr));
	assert_string_equal(addr_text(&addr), "fd00::1");
	assert_int_equal(parse_ip("fe80::1", &addr), 0);
}

static void prefixes(void **state)
{
	static const char *const refused[] = {
		"",
		"/",
		"10.0.0.1",
		"fd00::1",
		"10.0.0.1/",
		"10.0.0.1/0",
		"10.0.0.1/33",
		"10.0.0.1/-1",
		"10.0.0.1/ 24",
		"10.0.0.1/24/24",
		"10.0.0.1/255.255.255.0",
		"10.0.0/24",
		"0.0.0.0/8",
		"127.0.0.1/8",
		"224.0.0.1/4",
		"240.0.0.1/24",
		"fd00::1/0",
		"fd00::1/129",
		"::/64",
		"::1/128",
		"::5/64",
		"2001:db8::1/1",
		"ff02::1/64",
		"::ffff:10.0.0.1/120",
		"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2556/64",
		"1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111/64"};
	struct tsw_prefix prefix;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_refused(parse_prefix(refused[i], &prefix), refused[i]);
	assert_int_equal(parse_prefix("10.0.0.0/24", &prefix), 0);
	assert_int_equal(prefix.len, 96 + 24);
	assert_string_equal(prefix_text(&prefix), "10.0.0.0/24");
	assert_int_equal(parse_prefix("192.0.2.1/1", &prefix), 0);
	assert_int_equal(prefix.len, 97);
	assert_int_equal(parse_prefix("FD00::/8", &prefix), 0);
	assert_int_equal(prefix.len, 8);
	assert_string_equal(prefix_text(&prefix), "fd00::/8");
	assert_int_equal(parse_prefix("fd00::1/128", &prefix), 0);
	assert_int_equal(prefix.len, 128);
}

/* What a router's interface can have; the text says what is wrong. */
static void interfaces(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} refused[] = {
		{"10.0.0.0/24", "its network's address"},
		{"10.0.0.128/25", "its network's address"},
		{"10.0.0.255/24", "broadcast"},
		{"10.0.0.127/25", "broadcast"},
		{"10.255.255.255/8", "broadcast"},
		{"10.0.0.3/30", "broadcast"},
		{"fd00::/64", "anycast"},
		{"fd00:0:0:1::/64", "anycast"},
		{"fd00::4/126", "anycast"},
		{"fe80::1/64", "link-local"},
		{"10.0.0.1", "no prefix length"},
		{"10.0.0.1/33", "prefix length"},
		{"224.0.0.1/24", "multicast"},
	};
	static const char *const taken[] = {"10.0.0.1/24",   "10.0.0.254/24", "10.0.0.255/23",
					    "10.0.1.0/23",   "10.0.0.0/31",   "10.0.0.1/31",
					    "10.0.0.0/32",   "10.0.0.255/32", "fd00::1/64",
					    "fd00::/127",    "fd00::1/127",   "fd00::/128",
					    "fd00::ffff/112"};
	struct tsw_prefix prefix;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_refused(parse_interface(refused[i].text, &prefix), refused[i].text);
		if (!strstr(failure()->text, refused[i].why))
			fail_msg("\"%s\" does not say \"%s\"", failure()->text, refused[i].why);
	}
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (parse_interface(taken[i], &prefix))
			fail_msg("%s", failure()->text);
		assert_string_equal(prefix_text(&prefix), taken[i]);
	}
}

static void networks(void **state)
{
	static const struct {
		const char *prefix, *first, *last;
	} ends[] = {
		{"10.1.2.3/24", "10.1.2.0", "10.1.2.255"},
		{"10.1.2.3/32", "10.1.2.3", "10.1.2.3"},
		{"10.1.2.3/9", "10.0.0.0", "10.127.255.255"},
		{"fd00::1:2/112", "fd00::1:0", "fd00::1:ffff"},
		{"fd00:1:2:3::1/33", "fd00:1::", "fd00:1:7fff:ffff:ffff:ffff:ffff:ffff"},
		{"fd00::1/128", "fd00::1", "fd00::1"},
	};
	static const struct {
		const char *a, *b;
		bool overlap;
	} pairs[] = {
		{"10.0.0.1/24", "10.0.0.2/24", true},
		{"10.0.0.1/24", "10.0.1.1/24", false},
		{"10.0.0.1/8", "10.200.0.1/24", true},
		{"10.0.0.1/25", "10.0.0.129/25", false},
		{"10.0.0.1/32", "10.0.0.1/32", true},
		{"fd00::1/64", "fd00::1:0:0:0:1/64", false},
		{"fd00::1/64", "fd00::2:0:0:1/96", true},
		{"10.0.0.1/1", "2001:db8::1/8", false},
	};
	struct tsw_prefix a, b;
	struct tsw_addr addr;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(parse_prefix(ends[i].prefix, &a), 0);
		addr = prefix_first(&a);
		assert_string_equal(addr_text(&addr), ends[i].first);
		assert_true(prefix_has(&a, &addr));
		addr = prefix_last(&a);
		assert_string_equal(addr_text(&addr), ends[i].last);
		assert_true(prefix_has(&a, &addr));
	}
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(parse_prefix(pairs[i].a, &a), 0);
		assert_int_equal(parse_prefix(pairs[i].b, &b), 0);
		if (prefix_overlap(&a, &b) != pairs[i].overlap ||
		    prefix_overlap(&b, &a) != pairs[i].overlap)
			fail_msg("%s and %s", pairs[i].a, pairs[i].b);
	}
}

static void choices(void **state)
{
	static const char *const list[] = {"off", "on", NULL};
	__u32 value;

	(void)state;
	assert_int_equal(parse_choice("on", list, &value), 0);
	assert_int_equal(value, 1);
	assert_refused(parse_choice("o", list, &value), "o"); /* no abbreviations */
	assert_refused(parse_choice("", list, &value), "");
	assert_non_null(strstr(failure()->text, "off, on"));
}

static void assert_words(const char *text, ...)
{
	struct line line = {};
	char copy[256];
	const char *word;
	va_list args;
	int i = 0;

	assert_true(snprintf(copy, sizeof(copy), "%s", text) < (int)sizeof(copy));
	assert_int_equal(parse_line(copy, &line), 0);
	va_start(args, text);
	while ((word = va_arg(args, const char *))) {
		assert_true(i < line.n);
		assert_string_equal(line.word[i++], word);
	}
	va_end(args);
	assert_int_equal(i, line.n);
	if (line.n)
		assert_null(line.word[line.n]);
	line_free(&line);
}

static void lines(void **state)
{
	struct line line = {};
	char open[] = "tenant add \"red", many[512];
	int i;

	(void)state;
	assert_words("", NULL);
	assert_words("   \t", NULL);
	assert_words("# tenant add", NULL);
	assert_words("  # x", NULL);
	assert_words("tenant add red", "tenant", "add", "red", NULL);
	assert_words(" tenant\tadd  red \r", "tenant", "add", "red", NULL);
	assert_words("tenant add red # id 5", "tenant", "add", "red", NULL);
	assert_words("tenant add red#1", "tenant", "add", "red#1", NULL);
	assert_words("a \"b c\" d", "a", "b c", "d", NULL);
	assert_words("a \"\" d", "a", "", "d", NULL);
	assert_words("a \"#\" x\"y\"z", "a", "#", "xyz", NULL);
	assert_words("\"a\"", "a", NULL);
	assert_int_not_equal(parse_line(open, &line), 0);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	for (i = 0; i < 200; i++)
		snprintf(many + 2 * i, sizeof(many) - 2 * (size_t)i, "x ");
	assert_int_equal(parse_line(many, &line), 0);
	assert_int_equal(line.n, 200);
	line_free(&line);
}

static void quoting(void **state)
{
	char text[600];

	(void)state;
	assert_string_equal(quoted("red"), "\"red\"");
	assert_string_equal(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
	assert_string_equal(quoted("a\nb\x1b[31m"), "\"a\\x0ab\\x1b[31m\"");
	assert_string_equal(quoted("gr\xc3\xbcn\xff"), "\"gr\xc3\xbcn\\xff\"");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(strlen(quoted(text)) < 120);
	assert_non_null(strstr(quoted(text), "..."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),    cmocka_unit_test(seconds),
		cmocka_unit_test(names),      cmocka_unit_test(macs),
		cmocka_unit_test(addresses),  cmocka_unit_test(prefixes),
		cmocka_unit_test(interfaces), cmocka_unit_test(networks),
		cmocka_unit_test(choices),    cmocka_unit_test(lines),
		cmocka_unit_test(quoting),    cmocka_unit_test(rates),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
