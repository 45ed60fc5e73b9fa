// SPDX-License-Identifier: GPL-2.0-only
/* What is turned on for a tenant by flags of its own and of its ports here. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

void lab_tenant_flag(__u32 tenant, __u32 flag)
{
	struct tsw_tenant t;

	if (bpf_map_lookup_elem(lab_map(M_TENANTS), &tenant, &t)) {
		fprintf(stderr, "# there is no tenant %u\n", tenant);
		abort();
	}
	t.flags |= flag;
	lab_set(M_TENANTS, &tenant, &t);
}

void lab_port_flag(__u32 tenant, const char *mac, __u32 flag)
{
	struct tsw_mac wanted = {};
	struct tsw_port port;

	if (mac)
		frame_mac(wanted.b, mac);
	for (__u32 dev = RED_A; dev <= VIOLET_A; dev++) {
		if (bpf_map_lookup_elem(lab_map(M_PORTS), &dev, &port) || port.tenant != tenant ||
		    (mac && memcmp(&port.mac, &wanted, sizeof(wanted)) != 0))
			continue;
		port.flags |= flag;
		lab_set(M_PORTS, &dev, &port);
	}
}
