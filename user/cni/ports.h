/* SPDX-License-Identifier: GPL-2.0-only */
/* The capability portMappings: ports that the tenant's gateway publishes. */
#ifndef TSW_CNI_PORTS_H
#define TSW_CNI_PORTS_H

#include "cni/want.h"

/* PORTS may be NULL. */
int ports_check(struct cni *c, const json_t *ports, const struct tenancy *tenancy);

/* Publishes each port to the first address of each family. */
int ports_publish(struct cni *c, struct world *w, const json_t *ports, const struct dress *dress);

#endif
