/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of ADD, which CHECK gets as prevResult. */
#ifndef TSW_CNI_RESULT_H
#define TSW_CNI_RESULT_H

#include "cni/want.h"

/* Makes the result in the form of C's version. */
json_t *result_json(const struct cni *c, const struct want *want, const struct tsw_mac *host_mac);

/* Reads MAC, addresses and routes of C's interface from prevResult. */
int result_read(struct cni *c, struct tsw_mac *mac, struct dress *dress);

#endif
