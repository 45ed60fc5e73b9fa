// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "conf.h"

enum { PATH_LEN = 96 };

static FILE *open_conf(enum tsw_family family, const char *dev, const char *key, const char *mode)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv%d/conf/%s/%s", family == TSW_IPV4 ? 4 : 6,
		 dev, key);
	return fopen(path, mode);
}

int conf_read(enum tsw_family family, const char *dev, const char *key)
{
	FILE *f = open_conf(family, dev, key, "re");
	int value = -1;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &value) != 1 || value < 0)
		value = -EIO;
	fclose(f);
	return value;
}

int conf_write(enum tsw_family family, const char *dev, const char *key, int value)
{
	FILE *f = open_conf(family, dev, key, "we");
	int err;

	if (!f)
		return -errno;
	err = fprintf(f, "%d\n", value) < 0 ? -errno : 0;
	return fclose(f) && !err ? -errno : err;
}
