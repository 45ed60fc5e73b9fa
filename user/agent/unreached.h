/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hosts whose agent is alive, but that do not answer this host's questions through the tunnel.
 * Often their record has an address that they do not have any more.
 */
#ifndef TSW_AGENT_UNREACHED_H
#define TSW_AGENT_UNREACHED_H

#include <jansson.h>

#include "agent/prober.h"
#include "agent/replica.h"

enum { UNREACHED_TOLD = 8 };

struct unreached {
	__u32 n;
	struct quiet_host told[UNREACHED_TOLD]; /* the first of them */
};

/* Sets U, and logs the hosts as COMPLAINTS. *QUIET: what P told last; the caller frees it. */
void unreached_find(struct unreached *u, struct prober *p, struct quiet **quiet,
		    const struct replica *rp, struct complaints *complaints);

/* Why a host is told of, for two texts that begin with its name. */
#define UNREACHED_WHY                                                                         \
	"does not answer at %s, though its agent is alive: it may have another address now, " \
	"or something drops tunnel frames"

json_t *unreached_json(const struct unreached *u); /* an array of names */

#endif
