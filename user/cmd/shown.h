/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects as `show` prints them, of a switch or of a cluster: by their tables of fields. */
#ifndef TSW_SHOWN_H
#define TSW_SHOWN_H

#include <jansson.h>

#include "record/fields.h"

/* SPEC's mtu as it is in force; 0: not known. ALL: also what is not said, as in JSON. */
json_t *shown_tenant(const struct tsw_tenant_spec *spec, bool all, __s64 endpoints);

#endif
