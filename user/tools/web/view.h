/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page gets of an answer that is long, or that is of one moment. */
#ifndef TSW_TOOLS_WEB_VIEW_H
#define TSW_TOOLS_WEB_VIEW_H

#include <jansson.h>

enum { VIEW_ITEMS = 100, DROPS_EVERY_S = 10, DROPS_SAMPLES = 60 };

/*
 * At most VIEW_ITEMS endpoints, from the number FROM, with the number of all that match. TENANT and
 * TEXT may be NULL: of all tenants; with any text in name, addresses, MAC or place.
 */
json_t *view_endpoints(const json_t *list, const char *tenant, const char *text, size_t from);

/* Adds what was dropped since the last sample. NULL: there is no answer; the next begins anew. */
void view_sample(const json_t *drops);

/* The samples, the oldest first: each has the dropped frames by reason. */
json_t *view_drops(void);

#endif
