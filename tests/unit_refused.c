// SPDX-License-Identifier: GPL-2.0-only
/* More words of commands that are refused, and with which text, than unit_command.c has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "typed.h"

#include <cmocka.h>

static void assert_quoted(int result, const char *text)
{
	assert_int_not_equal(result, 0);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	assert_non_null(strstr(failure()->text, quoted(text)));
}

#define X62 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void domains(void **state)
{
	static const char *const refused[] = {"",
					      ".",
					      "a.",
					      ".a",
					      "a..b",
					      "-a",
					      "a-",
					      "a.-b",
					      "a_b",
					      "a b",
					      "\xc3\xbc.example",
					      X62 "c"};
	struct tsw_name name;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_quoted(parse_domain(refused[i], &name), refused[i]);
	assert_int_equal(parse_domain("Corp.Example", &name), 0);
	assert_string_equal(name.s, "corp.example");
	assert_int_equal(parse_domain(X62, &name), 0);
	assert_int_equal(parse_domain("TSW.internal", &name), 0);
	assert_string_equal(name.s, ""); /* that of all */
}

static void descriptions(void **state)
{
	static const struct {
		const char *text, *why;
	} refused[] = {
		{X62 X62 "1234", "is longer than 127 octets"},
		{"a\nb", "cannot be a description, it has"},
		{"\x1b[31mred", "\\x1b[31m"},
		{"x\xe2\x80\xaex", "U+202E"},
		{"x\xffx", "is not UTF-8"},
	};
	struct tsw_description description;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_quoted(parse_description(refused[i].text, &description), refused[i].text);
		if (!strstr(failure()->text, refused[i].why))
			fail_msg("\"%s\" does not say \"%s\"", failure()->text, refused[i].why);
	}
	assert_int_equal(parse_description(X62 X62 "123", &description), 0);
}

static void lines(void **state)
{
	(void)state;
	assert_refused("tenant replace red id 16777216", "from 1 to 16777215");
	assert_refused("tenant add red id 5 encap stt", "\"stt\" is not one of vxlan, gre");
	assert_refused("switch set xdp", "\"xdp\" needs a value");
	assert_refused("tenant add red id 5 rate 5mbit", "unknown word \"rate\"");
	assert_refused("tenant add red id 5 rate-outs 5mbit", "unknown word \"rate-outs\"");
	assert_refused("tenant add red id 5 rate_out 5mbit", "unknown word \"rate_out\"");
	assert_refused("switch set eth0", "unknown word \"eth0\"");
	assert_refused("tenant nonsense help", "\"nonsense\" is not one of add");
	assert_refused("flows export", "\"to\" is missing");
	assert_refused("flows export to 192.0.2.2", "\"192.0.2.2\"");
	assert_refused("flows export to 192.0.2.2:9 every 0",
		       "\"0\" is not a decimal number from 1");
	assert_refused("flows top 0", "\"0\" is not a decimal number");
	assert_refused("flows nosuch", "\"nosuch\"");
	assert_refused("tenant set red flow-entries 8", "\"8\" is not a decimal number from 64 to");
	assert_refused("tenant set red dhcp maybe", "\"maybe\" is not one of off, on");
	assert_refused("tenant set red dhcp", "\"dhcp\" needs a value");
	assert_refused("tenant set red dns 203.0.113.9", "\"203.0.113.9\" is not one of");
	assert_refused("endpoint set b server 1", "\"1\" is not one of off, on");
	assert_refused("gateway set red resolver 224.0.0.1", "\"224.0.0.1\" is a multicast");
	assert_refused("peer add red", "\"with\" is missing");
	assert_refused("peer add red with blue port 80", "proto and port go together");
	assert_refused("peer add red with blue proto tcp", "proto and port go together");
	assert_refused("peer add red with blue proto icmp port 80",
		       "\"icmp\" is not one of tcp, udp");
	assert_refused("peer add red with blue prefix 10.0.0.5/24", "\"10.0.0.5/24\"");
	assert_refused("peer add red with blue prefix 1.0.0.0/8 prefix 2.0.0.0/8 prefix 3.0.0.0/8 "
		       "prefix 4.0.0.0/8 prefix 5.0.0.0/8 prefix 6.0.0.0/8 prefix 7.0.0.0/8 "
		       "prefix 8.0.0.0/8 prefix 9.0.0.0/8",
		       "\"9.0.0.0/8\" is one prefix too many");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains),
		cmocka_unit_test(descriptions),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests_name("words that are refused", tests, NULL, NULL);
}
