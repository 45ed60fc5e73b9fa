/* SPDX-License-Identifier: GPL-2.0-only */
/* Another plugin, to which the choice of addresses is left. */
#ifndef TSW_CNI_IPAM_H
#define TSW_CNI_IPAM_H

#include "cni/cni.h"

/*
 * Runs C->ipam as this plugin was run, but with COMMAND. RESULT, which may be NULL, is to be given
 * back. What it says of its failure becomes C's.
 */
int ipam_call(struct cni *c, const char *command, json_t **result);

#endif
