// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "record/plugin_device.h"

bool plugin_device(const char *dev)
{
	const size_t prefix = strlen(PLUGIN_PREFIX);

	return !strncmp(dev, PLUGIN_PREFIX, prefix) &&
	       strlen(dev) == prefix + PLUGIN_NETWORK + PLUGIN_ENDPOINT &&
	       strspn(dev + prefix, PLUGIN_LETTERS) == PLUGIN_NETWORK + PLUGIN_ENDPOINT;
}

bool runtime_device(const char *dev)
{
	enum { DIGITS = 12 };
	const size_t prefix = strlen("ep-");

	return plugin_device(dev) ||
	       (!strncmp(dev, "ep-", prefix) && strlen(dev) == prefix + DIGITS &&
		strspn(dev + prefix, "0123456789abcdef") == DIGITS);
}
