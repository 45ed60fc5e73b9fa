// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/member.h"
#include "kernel/own_file.h"
#include "kernel/trusted_file.h"

#define DIR "/etc/tsw"

static void path_of(char path[MEMBER_PATH], const char *instance, const char *end)
{
	snprintf(path, MEMBER_PATH, DIR "/%s.cluster%s", instance, end);
}

void member_path(char path[MEMBER_PATH], const char *instance)
{
	path_of(path, instance, "");
}

void member_key(const struct member *m, const char *kind, const char *name, char key[MEMBER_KEY])
{
	snprintf(key, MEMBER_KEY, "/tsw/1/%s/%s/%s", m->cluster.s, kind, name);
}

/* The texts of the file, and their places in struct member. */
static const struct {
	const char *key;
	size_t at, room;
} texts[] = {
#define TEXT(name, field)                                                                 \
	{                                                                                 \
		name, offsetof(struct member, field), sizeof(((struct member *)0)->field) \
	}
	TEXT("etcd", etcd),   TEXT("cluster", cluster.s),
	TEXT("host", host.s), TEXT("ca", ca),
	TEXT("cert", cert),   TEXT("key", key),
	TEXT("user", user),   TEXT("password_file", password_file),
	TEXT("store", store),
#undef TEXT
};

enum { TEXTS = sizeof(texts) / sizeof(*texts), NEEDED = 3 };

static int read_texts(const json_t *file, struct member *m)
{
	const char *text;
	size_t i;

	for (i = 0; i < TEXTS; i++) {
		text = json_string_value(json_object_get(file, texts[i].key));
		if (strlen(text ? text : "") >= texts[i].room || (!text && i < NEEDED))
			return fail(EINVAL, "%s is missing, or too long", quoted(texts[i].key));
		snprintf((char *)m + texts[i].at, texts[i].room, "%s", text ? text : "");
	}
	return 0;
}

static int no_member(const char *instance)
{
	return fail(ENOENT,
		    "switch %s is no member of a cluster; it becomes one by: tsw cluster join "
		    "etcd URL",
		    quoted(instance));
}

/* Whoever can write there can change which store this host believes. It need not exist. */
static int check_directory(void)
{
	struct stat st;

	if (geteuid())
		return fail(EPERM, "only root may use a cluster");
	if (lstat(DIR, &st))
		return errno == ENOENT ? 0 : fail(errno, DIR ": %s", strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid || st.st_mode & OTHERS_WRITE)
		return fail(EPERM, DIR " can be written by others than root: chown root " DIR
				       " && chmod go-w " DIR);
	return 0;
}

int member_read(const char *instance, struct member *m)
{
	char path[MEMBER_PATH];
	json_error_t why;
	json_t *file;
	int err = check_directory(), fd;

	path_of(path, instance, "");
	memset(m, 0, sizeof(*m));
	if (err)
		return err;
	fd = trusted_file_open(path, OTHERS_WRITE);
	if (fd < 0)
		return fd == -ENOENT ? no_member(instance) : fd;
	file = json_loadfd(fd, JSON_REJECT_DUPLICATES, &why);
	close(fd);
	if (!file)
		return fail(EINVAL, "%s is no valid JSON: %s", path, why.text);
	err = read_texts(file, m);
	json_decref(file);
	if (err)
		fail_more(", in %s", path);
	return err;
}

/* JSON cannot hold texts that are not UTF-8. Leaving out the CA's file would be unsafe. */
static int texts_json(const struct member *m, json_t *file)
{
	const char *text;
	size_t i;

	for (i = 0; i < TEXTS; i++) {
		text = (const char *)m + texts[i].at;
		if (*text && json_object_set_new(file, texts[i].key, json_string(text)))
			return fail(EINVAL, "%s %s is not UTF-8", texts[i].key, quoted(text));
	}
	return 0;
}

int member_check(const struct member *m)
{
	json_t *json = json_object();
	int err = check_directory();

	err = err ?: texts_json(m, json);
	json_decref(json);
	return err;
}

static int write_file(const char *path, const json_t *json)
{
	const int fd = own_file_open(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int err = 0;

	if (fd < 0)
		return fd;
	if (!file || json_dumpf(json, file, JSON_INDENT(2)) || fputc('\n', file) == EOF ||
	    fflush(file) || fsync(fd))
		err = fail(errno, "cannot write %s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	else
		close(fd);
	return err;
}

/* Returns when the new name is on the disk, too. */
static int put_in_place(const char *new, const char *path)
{
	const int dir = open(DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = 0;

	if (dir < 0 || rename(new, path) || fsync(dir))
		err = fail(errno, "cannot write %s: %s", path, strerror(errno));
	if (dir >= 0)
		close(dir);
	return err;
}

int member_write(const char *instance, const struct member *m)
{
	char path[MEMBER_PATH], new[MEMBER_PATH];
	json_t *json = json_object();
	int err;

	path_of(path, instance, "");
	path_of(new, instance, ".new");
	if (mkdir(DIR, 0755) && errno != EEXIST)
		err = fail(errno, "cannot make " DIR ": %s", strerror(errno));
	else
		err = check_directory();
	err = err ?: texts_json(m, json);
	err = err ?: write_file(new, json);
	err = err ?: put_in_place(new, path);
	if (err)
		unlink(new);
	json_decref(json);
	return err;
}

int member_remove(const char *instance)
{
	char path[MEMBER_PATH];

	path_of(path, instance, "");
	if (unlink(path) && errno != ENOENT)
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}

bool member_is(const char *instance)
{
	char path[MEMBER_PATH];

	path_of(path, instance, "");
	return !access(path, F_OK);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static int connect_to(const struct member *m, unsigned int ms, bool together, struct etcd **e)
{
	const struct etcd_config config = {
		.urls = m->etcd,
		.ca = or_null(m->ca),
		.cert = or_null(m->cert),
		.key = or_null(m->key),
		.user = or_null(m->user),
		.password_file = *m->user ? m->password_file : NULL,
		.timeout_ms = ms,
		.cluster = strtoull(m->store, NULL, 16),
		.together = together,
	};

	return etcd_open(e, &config);
}

int member_open(const struct member *m, unsigned int wait_ms, struct etcd **e)
{
	int err = connect_to(m, wait_ms, true, e);

	err = err ?: etcd_check_files(*e);
	if (err) {
		etcd_close(*e);
		*e = NULL;
	}
	return err;
}

int member_connect(const struct member *m, unsigned int timeout_ms, struct etcd **e)
{
	return connect_to(m, timeout_ms, false, e);
}

int member_check_store(struct etcd *e, struct member *m)
{
	char key[MEMBER_KEY], id[sizeof(m->store)] = "";
	const struct etcd_range own = {key};
	__s64 revision = 0;
	int err;

	member_key(m, "host", m->host.s, key);
	err = etcd_read(e, &own, &revision, NULL, NULL);
	if (err == -EEXIST)
		fail_more(": leave it first, by: tsw cluster leave force on");
	if (err)
		return err;
	snprintf(id, sizeof(id), "%llx", etcd_seen(e)->cluster);
	memcpy(m->store, id, sizeof(id));
	return 0;
}
