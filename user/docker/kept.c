// SPDX-License-Identifier: GPL-2.0-only
/*
 * Docker tells of a network once, and remembers it over restarts of its daemon and of the machine:
 * a file of each says whose it is, DIRECTORY/ID. It is there whole or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "docker/docker.h"
#include "plug/json.h"

static const char *directory(void)
{
	return getenv("STATE_DIRECTORY") ?: "/var/lib/tsw-docker"; /* systemd's StateDirectory= */
}

static int cannot(const char *what, const char *path)
{
	return fail(errno, "cannot %s %s: %s", what, quoted(path), strerror(errno));
}

static void path_of(const char *network, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", directory(), network);
}

/* A file without a name, which a kill leaves none of. */
static int open_new(void)
{
	int fd;

	if (mkdir(directory(), 0700) && errno != EEXIST)
		return cannot("make", directory());
	fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? cannot("make a file in", directory()) : fd;
}

static int write_text(int fd, const char *path, const char *text)
{
	const size_t n = strlen(text);
	ssize_t did = write(fd, text, n);

	if (did >= 0 && (size_t)did < n)
		errno = ENOSPC;
	return did != (ssize_t)n || fsync(fd) ? cannot("write", path) : 0;
}

/* The name as well: Docker's own note of the network is on the disk when it is answered. */
static int sync_directory(void)
{
	int cleanup_close fd = open(directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? cannot("write", directory()) : 0;
}

int docker_keep(const struct docker_network *n, const json_t *options)
{
	char path[PATH_MAX], of[64];
	json_t *all =
		json_pack("{s:b, s:b, s:O}", "ipv4", n->ipv4, "ipv6", n->ipv6, "options", options);
	char cleanup_free *text = json_dumps(all, JSON_INDENT(2) | JSON_SORT_KEYS);
	int cleanup_close fd = open_new();
	int err;

	json_decref(all);
	if (fd < 0)
		return fd;
	path_of(n->id, path);
	err = text ? write_text(fd, path, text) : fail(ENOMEM, "out of memory");
	if (err)
		return err;
	/* One of that id: what a call left that was killed before Docker had its answer. */
	if (unlink(path) && errno != ENOENT)
		return cannot("remove", path);
	snprintf(of, sizeof(of), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, of, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return cannot("make", path);
	return sync_directory();
}

static int read_kept(const json_t *all, struct docker_network *n)
{
	const json_t *options;
	int err = plug_object(all, "options", &options);

	n->ipv4 = !json_is_false(json_object_get(all, "ipv4")); /* earlier ones do not say */
	n->ipv6 = json_is_true(json_object_get(all, "ipv6"));
	return err ?: docker_network_options(options, &n->options);
}

int docker_kept(const char *network, struct docker_network *n)
{
	char path[PATH_MAX];
	json_error_t why;
	json_t *all;
	int err;

	*n = (struct docker_network){.id = network, .options.instance = {"default"}};
	path_of(network, path);
	if (access(path, F_OK))
		return fail(ENOENT, "network %s is not known here: there is no %s", quoted(network),
			    quoted(path));
	all = json_load_file(path, 0, &why);
	err = all ? read_kept(all, n) : fail(EINVAL, "%s", escaped(why.text));
	json_decref(all);
	if (err)
		fail_where("%s: ", path);
	return err;
}

int docker_forget(const char *network)
{
	char path[PATH_MAX];

	path_of(network, path);
	return unlink(path) && errno != ENOENT ? cannot("remove", path) : 0;
}
