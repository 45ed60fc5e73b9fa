// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "store/migrate.h"

/* ABI 4 adds the programs' version and build at the end. */
static void config_from_3(void *key, void *value)
{
	(void)key;
	((struct tsw_config *)value)->abi = 4;
}

/* Derives another number from the random X, by the last steps of MurmurHash3. */
static __u64 mix(__u64 x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

/*
 * ABI 5 adds a pass, a secret mark for frames on their way through the host's stack. Until all
 * programs are new, frames without a pass are accepted.
 */
static void config_from_4(void *key, void *value)
{
	struct tsw_config *config = value;

	(void)key;
	config->abi = 5;
	config->flags |= TSW_CFG_OLD_WAY;
	config->pass = mix(config->secret);
}

static void config_from_5(void *key, void *value)
{
	(void)key;
	((struct tsw_config *)value)->abi = 6;
}

/*
 * ABI 6 adds resolvers of gateways, where ABI 5 had padding, and ranks of hosts. The host that
 * serves the gateway becomes the first rank.
 */
static void gateway_from_5(void *key, void *value)
{
	struct tsw_gateway *gw = value;

	(void)key;
	memset(gw->resolver, 0, sizeof(gw->resolver));
	if (gw->flags & TSW_GATEWAY_ALL)
		return;
	gw->n_ranks = 1;
	gw->rank[0] = gw->host;
	gw->flags |= gw->host ? 0 : TSW_GATEWAY_READY;
}

/*
 * ABI 7 chooses buckets by a keyed hash. policy_move.h moves the connections of policies.
 */
static void config_from_6(void *key, void *value)
{
	(void)key;
	((struct tsw_config *)value)->abi = 7;
}

/* ABI 8 moves gateways from the host's namespace to a router of their own. */
static void config_from_7(void *key, void *value)
{
	struct tsw_config *config = value;

	(void)key;
	config->abi = 8;
	config->flags |= config->gateway ? TSW_CFG_OLD_DOOR : 0;
	config->flags &= ~(1U << 4); /* liberal conntrack, which the router always has */
	config->gateway = 0;
	config->nsid = -1;
}

/*
 * In older versions an entry of a gateway's connections does not name its tenant. So the table
 * starts empty, and each connection enters it with its next frame.
 */
static void fair_from_6(void *key, void *value)
{
	struct tsw_fair *fair = value;

	(void)key;
	fair->table = ~fair->table;
	memset(fair->slice, 0, sizeof(fair->slice));
	memset(fair->begun, 0, sizeof(fair->begun));
}

const struct migration migrations[] = {
	{.from = 3, .map = MAP_CONFIG, .key = 4, .value = 216, .convert = config_from_3},
	{.from = 4, .map = MAP_CONFIG, .key = 4, .value = 232, .convert = config_from_4},
	{.from = 5, .map = MAP_CONFIG, .key = 4, .value = 240, .convert = config_from_5},
	{.from = 5, .map = MAP_HOSTS, .key = 4, .value = 112},
	{.from = 5, .map = MAP_STATS, .key = 4, .value = 112},
	{.from = 5, .map = MAP_HOST_STATS, .key = 4, .value = 672},
	{.from = 5, .map = MAP_GATEWAYS, .key = 4, .value = 232, .convert = gateway_from_5},
	{.from = 6, .map = MAP_CONFIG, .key = 4, .value = 312, .convert = config_from_6},
	{.from = 6, .map = MAP_FAIR, .key = 4, .value = 160, .convert = fair_from_6},
	{.from = 6, .map = MAP_POLICY_CONNS, .key = 12, .value = 552},
	{.from = 7, .map = MAP_CONFIG, .key = 4, .value = 312, .convert = config_from_7},
	{.from = 7, .map = MAP_GATEWAYS, .key = 4, .value = 296},
	{.from = 7, .map = MAP_FAST, .key = 44, .value = 88},
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
