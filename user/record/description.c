// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "record/description.h"

int description_load(const struct tsw *t, __u32 tenant, struct tsw_description *description)
{
	int err = map_get(&t->maps, MAP_DESCRIPTIONS, &tenant, description);

	if (err == -ENOENT)
		*description = (struct tsw_description){};
	return err == -ENOENT ? 0 : err;
}

int description_put(const struct tsw *t, __u32 tenant, const struct tsw_description *description)
{
	struct tsw_description old;
	int err = description_load(t, tenant, &old);

	if (err || !memcmp(&old, description, sizeof(old)))
		return err;
	return description->text[0] ? map_put(&t->maps, MAP_DESCRIPTIONS, &tenant, description)
				    : map_del(&t->maps, MAP_DESCRIPTIONS, &tenant);
}
