// SPDX-License-Identifier: GPL-2.0-only
/* A file of its own, as maps.h and lab.h each have an enum of the maps. */
#include "devices.h"
#include "maps.h"

int devices_put(int map, __u32 ifindex)
{
	struct maps maps = {};

	maps.fd[MAP_DEVICES] = map;
	return map_put(&maps, MAP_DEVICES, &ifindex, &ifindex);
}
