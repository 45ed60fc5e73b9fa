// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "object/policy_sweep.h"
#include "store/tsw.h"
#include "sweep_lab.h"

size_t sweep_lab(const struct bpf_object *object, bool dry)
{
	struct tsw t = {.maps = MAPS_CLOSED};
	size_t n;
	int i;

	for (i = 0; i < MAP_COUNT; i++)
		t.maps.fd[i] = bpf_object__find_map_fd_by_name(object, map_name(i));
	if (policy_sweep(&t, dry, &n)) {
		fprintf(stderr, "# sweep: %s\n", failure()->text);
		abort();
	}
	return n;
}
