/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoints of running containers, which `containers keep` leaves as they are. */
#ifndef TSW_STATE_KEEP_H
#define TSW_STATE_KEEP_H

#include "state/missing.h"

/*
 * Writes into WANT the endpoints of HAVE whose container runs, and the ports published to them, in
 * place of what the file says of them. Fails if the rest of the file contradicts them. *N: how many
 * endpoints.
 */
int state_keep_containers(const struct state *have, struct state *want,
			  const struct state_late *late, size_t *n);

#endif
