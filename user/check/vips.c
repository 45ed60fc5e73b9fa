// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/problem.h"
#include "base/text.h"
#include "check/maps.h"

void check_contested(const struct snapshot *s, json_t *warnings)
{
	const struct rows *taken = &s->rows[MAP_TAKEN];
	const __u64 now = clock_kernel_ns();
	struct tsw_mac mac;
	char name[128];
	size_t i;

	for (i = 0; i < taken->n; i++) {
		const struct tsw_addr_key *key = row_key(taken, i);
		const struct tsw_taken *its = row_value(taken, i);

		if (its->recent < TSW_TAKEN_CONTESTED || now - its->at > TSW_TAKEN_CALM)
			continue;
		memcpy(&mac, &its->mac, sizeof(mac));
		snprintf(name, sizeof(name), "%s/%s", snapshot_tenant(s, key->tenant),
			 addr_text(&key->addr));
		problem(warnings, "vip_contested", name,
			"endpoints announce it in turn, %u times by now, the last one with MAC "
			"%s: they do not hear each other",
			its->recent, mac_text(&mac));
	}
}
