// SPDX-License-Identifier: GPL-2.0-only
/* By which ports tenants leave that send to a port of WireGuard's: user/door/gateway.nft. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "door/gateway_nft.h"
#include "gateway.nft.h"

#include <cmocka.h>

enum { LAST = TSW_CRYPT_PORT_OF(0, TSW_CRYPT_PARITIES - 1, TSW_CRYPT_PARITIES - 1) };

/* How many of the ports from FIRST on are in that set. */
static size_t kept(__u32 first, const char *set)
{
	struct nft_change c;
	const json_t *one;
	size_t n = 0, i;

	nft_begin(&c);
	gateway_nft_put_ports(&c, first);
	json_array_foreach(c.commands, i, one) {
		assert_string_equal(json_string_value(json_object_get(one, "do")), "add");
		if (!strcmp(json_string_value(json_object_get(one, "set")), set))
			n += json_array_size(json_object_get(one, "elem"));
	}
	nft_abandon(&c);
	return n;
}

/* Wherever the four are, no tenant that sends to one leaves by one. */
static void none_leaves_by_them(void **state)
{
	__u32 first, low, high;

	(void)state;
	for (first = 1; first + LAST <= UINT16_MAX; first++) {
		low = TSW_NAT_PORT_LOW;
		high = TSW_NAT_PORT_HIGH;
		if (kept(first, "wg_low") == LAST + 1)
			low = TSW_NAT_PORT_OTHER_HALF;
		if (kept(first, "wg_high") == LAST + 1)
			high = TSW_NAT_PORT_HALF;
		if (first + LAST >= low && first <= high)
			fail_msg("wg-port %u: a tenant may leave by it", first);
		if (low > TSW_NAT_PORT_LOW && high < TSW_NAT_PORT_HIGH)
			fail_msg("wg-port %u: it is in both sets", first);
	}
	assert_int_equal(kept(TSW_NAT_PORT_HALF, "wg_low"), LAST + 1);
	assert_int_equal(kept(TSW_NAT_PORT_HALF + 1, "wg_high"), LAST + 1);
}

/* Who does not encrypt, or has them elsewhere, takes no port from tenants. */
static void all_are_left(void **state)
{
	static const __u32 elsewhere[] = {0, 4500, TSW_NAT_PORT_LOW - LAST - 1,
					  TSW_NAT_PORT_HIGH + 1};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		assert_int_equal(kept(elsewhere[i], "wg_low"), 0);
		assert_int_equal(kept(elsewhere[i], "wg_high"), 0);
	}
	assert_int_equal(kept(TSW_NAT_PORT_HIGH, "wg_high"), LAST + 1);
}

/* How often a chain has these ports. */
static size_t times(const char *chain, __u32 low, __u32 high)
{
	const char *at, *end;
	char text[64];
	size_t n = 0;

	snprintf(text, sizeof(text), "\tchain %s {", chain);
	at = strstr(gateway_nft, text);
	assert_non_null(at);
	end = strstr(at, "\t}");
	snprintf(text, sizeof(text), "%u-%u fully-random", low, high);
	while ((at = strstr(at + 1, text)) && at < end)
		n++;
	return n;
}

/* Both address families by `snat`, and what is hidden. */
static void rules_say_the_same(void **state)
{
	(void)state;
	assert_int_equal(times("from_low", TSW_NAT_PORT_LOW, TSW_NAT_PORT_HALF), 3);
	assert_int_equal(times("from_high", TSW_NAT_PORT_OTHER_HALF, TSW_NAT_PORT_HIGH), 3);
	assert_int_equal(times("srcnat", TSW_NAT_PORT_LOW, TSW_NAT_PORT_HIGH), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_leaves_by_them),
		cmocka_unit_test(all_are_left),
		cmocka_unit_test(rules_say_the_same),
	};

	return cmocka_run_group_tests_name("gateway_nft", tests, NULL, NULL);
}
