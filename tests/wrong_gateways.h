/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps in which something is wrong, or another's, about gateways and peers. */
#ifndef TSW_TESTS_WRONG_GATEWAYS_H
#define TSW_TESTS_WRONG_GATEWAYS_H

#include "lab.h"

struct wrong {
	const char *name;
	void (*set)(void);
	__u32 peering; /* index with which red may go to a peer, for both agreed; 0: none */
};

#define WRONG_GATEWAYS 17
extern const struct wrong wrong_gateways[WRONG_GATEWAYS];

#endif
