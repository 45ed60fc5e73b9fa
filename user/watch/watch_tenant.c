// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "watch/watch.h"

int watch_check_tenant(const struct watch *w)
{
	struct tsw_tenant now;

	if (!w->want.tenant)
		return 0;
	if (!map_get(&w->t->maps, MAP_TENANTS, &w->want.tenant, &now) &&
	    !strcmp(now.name, w->tenant.s))
		return 0;
	return fail(ENOENT, "tenant %s, which was followed, is gone", quoted(w->tenant.s));
}
