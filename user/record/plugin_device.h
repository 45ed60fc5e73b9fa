/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the devices that the plugins of container runtimes make, tsw-cni and tsw-docker. */
#ifndef TSW_RECORD_PLUGIN_DEVICE_H
#define TSW_RECORD_PLUGIN_DEVICE_H

#include <stdbool.h>

#define PLUGIN_PREFIX "tsw"
#define PLUGIN_LETTERS "abcdefghijklmnopqrstuvwxyz234567"
enum { PLUGIN_NETWORK = 5, PLUGIN_ENDPOINT = 7 }; /* letters behind the prefix */

/*
 * Whether a plugin made the device DEV, and so its endpoint. Such an endpoint ends with its device:
 * the runtime has the plugin make both anew. The name tells it, so it is known of a device that is
 * gone, in a file, and in a record of a cluster.
 */
bool plugin_device(const char *dev);

/* The same, or examples/container.sh made the device: `ep-` and 12 hexadecimal digits. */
bool runtime_device(const char *dev);

#endif
