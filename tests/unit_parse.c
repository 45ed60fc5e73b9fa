// SPDX-License-Identifier: GPL-2.0-only
/* From the user's text to values: what is taken, what is refused, and with which words. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "err.h"
#include "parse.h"
#include "text.h"

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

	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
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
	char open[] = "tenant add \"red", many[512] = "";
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
		strcat(many, "x ");
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
		cmocka_unit_test(numbers),   cmocka_unit_test(names),	cmocka_unit_test(macs),
		cmocka_unit_test(addresses), cmocka_unit_test(choices), cmocka_unit_test(lines),
		cmocka_unit_test(quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
