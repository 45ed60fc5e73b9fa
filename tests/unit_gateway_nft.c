// SPDX-License-Identifier: GPL-2.0-only
/* Where user/door/gateway.nft has the ports by which tenants leave as this host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gateway.nft.h"

#include <cmocka.h>

/* How often a chain has these ports. */
static size_t times(const char *chain, const char *ports)
{
	const char *at, *end;
	char text[64];
	size_t n = 0;

	snprintf(text, sizeof(text), "\tchain %s {", chain);
	at = strstr(gateway_nft, text);
	assert_non_null(at);
	end = strstr(at, "\t}");
	snprintf(text, sizeof(text), ": %s fully-random", ports);
	while ((at = strstr(at + 1, text)) && at < end)
		n++;
	return n;
}

/* Both address families, by `snat` and of what is hidden. */
static void rules_say_the_same(void **state)
{
	(void)state;
	assert_int_equal(times("srcnat", "$nat_ports"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_say_the_same),
	};

	return cmocka_run_group_tests_name("gateway_nft", tests, NULL, NULL);
}
