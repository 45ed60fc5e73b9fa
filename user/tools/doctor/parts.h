/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of `status`, for `doctor` and `sysdump`, too: arrays of objects of a line each. */
#ifndef TSW_TOOLS_DOCTOR_PARTS_H
#define TSW_TOOLS_DOCTOR_PARTS_H

#include "cli/cli.h"

/* Each other host: name, address, MTU of the way, endpoints; alive: it answers, null: unknown. */
int part_hosts(const struct tsw *t, json_t *list);

/* Each tenant: name, id, encapsulation, MTU for its endpoints, endpoints, dropped frames. */
int part_tenants(struct tsw *t, json_t *list);

/* Each gateway: its tenant, and the host that serves it, as this host knows. */
int part_gateways(const struct tsw *t, json_t *list);

/* The agent: does it run, read and apply the records? Empty if the switch needs no agent. */
int part_agent(const struct tsw *t, json_t *list);

/* The drop counters by reason, the largest first. */
int part_drops(const struct tsw *t, json_t *list);

#endif
