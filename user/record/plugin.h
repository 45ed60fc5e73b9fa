/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which endpoints the plugins of container runtimes made. No field says it: the names do, also
 * those of older versions. A plugin names the host's device `tsw` and 12 letters. It names the
 * endpoint in its own way, or keeps the name that the user gave in a file. Both must fit, so a
 * device that a user named by hand is never taken for a plugin's.
 */
#ifndef TSW_RECORD_PLUGIN_H
#define TSW_RECORD_PLUGIN_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

#define PLUGIN_PREFIX "tsw"
#define PLUGIN_LETTERS "abcdefghijklmnopqrstuvwxyz234567"
enum { PLUGIN_NETWORK = 5, PLUGIN_ENDPOINT = 7 }; /* letters behind the prefix */

/*
 * Whether a plugin made the device DEV, and so its endpoint. Such an endpoint ends with its device:
 * the runtime has the plugin make both anew.
 */
bool plugin_device(const char *dev);

/* The same, or examples/container.sh made the device: `ep-` and 12 hexadecimal digits. */
bool runtime_device(const char *dev);

#define PLUGIN_CNI_DIRECTORY "/var/lib/tsw-cni"
#define PLUGIN_DOCKER_DIRECTORY "/var/lib/tsw-docker"
/* A link of tsw-docker's to its directory, if a unit has chosen another one; with the instance. */
#define PLUGIN_ELSEWHERE "/run/tsw/%s.docker"

/* An endpoint with a name that a user gave, see plug/given.h. */
struct plugin_given {
	char dev[IFNAMSIZ];
	char instance[64]; /* empty in a file of 0.2.0 */
	struct tsw_name tenant, name;
	const char *plugin;
	char file[256]; /* its whole path */
	bool recorded;	/* the caller's: a record names the device */
};

struct plugins {
	struct plugin_given *all;
	size_t n;
};

/*
 * Reads what the plugins keep below ROOT, "" for "/": in the directories above, and for INSTANCE in
 * the one to which PLUGIN_ELSEWHERE leads. A damaged file counts as absent.
 */
int plugins_read(struct plugins *p, const char *root, const char *instance);
void plugins_free(struct plugins *p);

/* The plugin that made this endpoint of this host, "tsw-cni" or "tsw-docker"; or NULL. */
const char *plugin_of(const struct plugins *p, const char *tenant, const char *name,
		      const char *dev);

/*
 * The same of an endpoint whose device is gone, of which a switch does not know the name. Sets DEV,
 * "" if that is unknown: no file is kept then.
 */
const char *plugin_of_dead(const struct plugins *p, const char *instance, const char *tenant,
			   const char *name, char dev[IFNAMSIZ]);

/* The endpoint is deleted: removes the file with its name, if there is one. */
void plugin_forget(const struct plugins *p, const char *tenant, const char *name, const char *dev);

#endif
