/* SPDX-License-Identifier: GPL-2.0-only */
/* The IPAM plugin, which chooses addresses if the configuration names one. */
#ifndef TSW_CNI_IPAM_H
#define TSW_CNI_IPAM_H

#include "cni/cni.h"

/*
 * Runs C->ipam like this plugin, but with COMMAND. The caller frees RESULT, which may be NULL. The
 * plugin's own error becomes C's.
 */
int ipam_call(struct cni *c, const char *command, json_t **result);

#endif
