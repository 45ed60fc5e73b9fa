/* SPDX-License-Identifier: GPL-2.0-only */
/* A device's settings below /proc/sys/net, in this thread's network namespace. */
#ifndef TSW_CONF_H
#define TSW_CONF_H

#include <tsw/abi.h>

/* DEV is a device's name, "all" or "default". Returns the value or -errno, without message. */
int conf_read(enum tsw_family family, const char *dev, const char *key);
int conf_write(enum tsw_family family, const char *dev, const char *key, int value);

#endif
