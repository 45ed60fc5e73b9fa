// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "macs_case.h"

static void becomes(void **state)
{
	const struct macs_case *row = *state;

	packet_check(&row->c);
}

/* The same once more, for packet_check() puts the maps right. */
static void is_then_behind(void **state)
{
	const struct macs_case *row = *state;
	const struct tsw_inner_addr *found;
	struct tsw_inner inner;
	__u8 mac[6] = {};

	if (!row->ip)
		return;
	row->c.setup();
	lab_macs_send(row->c.in.src ? row->c.in.src : MAC_A, &row->c.in);
	inner = lab_macs();
	lab_fill();
	found = lab_macs_find(&inner, row->ip);
	assert_int_equal(!found, !row->mac);
	if (row->mac)
		frame_mac(mac, row->mac);
	if (row->mac)
		assert_memory_equal(found->mac.b, mac, sizeof(mac));
}

int macs_main(const char *name, const struct macs_case *cases, size_t n)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(becomes),
						   cmocka_unit_test(is_then_behind)};
	const struct packet_matrix matrix = {.name = name,
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = n};

	return packet_main_matrix(&matrix);
}
