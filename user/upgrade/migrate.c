// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "migrate.h"

/* ABI 4 has version and build of the programs behind the rest. */
static void config_from_3(void *key, void *value)
{
	(void)key;
	((struct tsw_config *)value)->abi = 4;
}

/* ABI 5 has tsw_fair, tsw_fair_seen and tsw_conns besides. */
static void config_from_4(void *key, void *value)
{
	(void)key;
	((struct tsw_config *)value)->abi = 5;
}

const struct migration migrations[] = {
	{.from = 3, .map = MAP_CONFIG, .key = 4, .value = 216, .convert = config_from_3},
	{.from = 4, .map = MAP_CONFIG, .key = 4, .value = 232, .convert = config_from_4},
	{},
};

const struct migration *migrate_first(const struct migration *table, __u32 from, enum map map)
{
	for (; table->from; table++)
		if (table->from >= from && table->map == map)
			return table;
	return NULL;
}

void migrate_entry(const struct migration *table, __u32 from, enum map map, void *key, void *value)
{
	for (; (table = migrate_first(table, from, map)); table++)
		if (table->convert)
			table->convert(key, value);
}
