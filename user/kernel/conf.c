// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "kernel/conf.h"
#include "kernel/system.h"

enum { PATH_LEN = 96 };

static void conf_path(enum tsw_family family, const char *dev, const char *key, char path[PATH_LEN])
{
	snprintf(path, PATH_LEN, "/proc/sys/net/ipv%d/conf/%s/%s", family == TSW_IPV4 ? 4 : 6, dev,
		 key);
}

int conf_read(enum tsw_family family, const char *dev, const char *key)
{
	char path[PATH_LEN];

	conf_path(family, dev, key, path);
	return system_setting(path);
}

int conf_write(enum tsw_family family, const char *dev, const char *key, int value)
{
	char path[PATH_LEN];

	conf_path(family, dev, key, path);
	return system_set(path, value);
}
