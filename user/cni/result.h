/* SPDX-License-Identifier: GPL-2.0-only */
/* What ADD answers, and what CHECK is given of it. */
#ifndef TSW_CNI_RESULT_H
#define TSW_CNI_RESULT_H

#include "cni/want.h"

/* As C's version has it. */
json_t *result_json(const struct cni *c, const struct want *want, const struct tsw_mac *host_mac);

/* prevResult's, of C's interface. */
int result_read(struct cni *c, struct tsw_mac *mac, struct dress *dress);

#endif
