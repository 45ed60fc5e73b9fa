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
#include "kernel/owner.h"

#define DIR "/etc/tsw"

enum { PATH_LEN = 128, PASSWORD_MOST = 256 };

static void path_of(char path[PATH_LEN], const char *instance, const char *end)
{
	snprintf(path, PATH_LEN, DIR "/%s.cluster%s", instance, end);
}

/* Texts of the file, and where they go. */
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

int member_read(const char *instance, struct member *m)
{
	char path[PATH_LEN];
	json_error_t why;
	json_t *file;
	int err;

	path_of(path, instance, "");
	memset(m, 0, sizeof(*m));
	err = owner_check_directory(DIR, "/etc");
	if (err == -ENOENT || (!err && access(path, F_OK)))
		return no_member(instance);
	if (err)
		return err;
	file = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!file)
		return fail(EINVAL, "%s is not as cluster join wrote it: %s", path, why.text);
	err = read_texts(file, m);
	json_decref(file);
	if (err)
		fail_more(", in %s", path);
	return err;
}

static json_t *texts_json(const struct member *m)
{
	json_t *file = json_object();
	const char *text;
	size_t i;

	for (i = 0; i < TEXTS; i++) {
		text = (const char *)m + texts[i].at;
		if (*text)
			json_object_set_new(file, texts[i].key, json_string(text));
	}
	return file;
}

static int write_file(const char *path, const struct member *m)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	json_t *json = texts_json(m);
	int err = 0;

	if (!file || json_dumpf(json, file, JSON_INDENT(2)) || fputc('\n', file) == EOF ||
	    fflush(file) || fsync(fd))
		err = fail(errno, "cannot write %s: %s", path, strerror(errno));
	json_decref(json);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return err;
}

int member_write(const char *instance, const struct member *m)
{
	char path[PATH_LEN], new[PATH_LEN];
	int err;

	path_of(path, instance, "");
	path_of(new, instance, ".new");
	if (mkdir(DIR, 0755) && errno != EEXIST)
		return fail(errno, "cannot make " DIR ": %s", strerror(errno));
	err = owner_check_directory(DIR, "/etc");
	err = err ?: write_file(new, m);
	if (!err && rename(new, path))
		err = fail(errno, "cannot write %s: %s", path, strerror(errno));
	if (err)
		unlink(new);
	return err;
}

int member_remove(const char *instance)
{
	char path[PATH_LEN];

	path_of(path, instance, "");
	if (unlink(path) && errno != ENOENT)
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}

/* The first line. Others than its owner may not read it, or it would be no secret. */
static int read_password(const char *path, char password[PASSWORD_MOST])
{
	FILE *file = fopen(path, "re");
	struct stat st;
	int err = 0;

	if (!file)
		return fail(errno, "cannot read %s: %s", quoted(path), strerror(errno));
	if (fstat(fileno(file), &st) || st.st_mode & 077)
		err = fail(EPERM, "%s has a password, and others may read it: chmod 600",
			   quoted(path));
	else if (!fgets(password, PASSWORD_MOST, file))
		err = fail(EINVAL, "%s has no password", quoted(path));
	else
		password[strcspn(password, "\r\n")] = '\0';
	fclose(file);
	return err;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

int member_open(const struct member *m, unsigned int wait_ms, struct etcd **e)
{
	char password[PASSWORD_MOST] = "";
	const struct etcd_config config = {
		.urls = m->etcd,
		.ca = or_null(m->ca),
		.cert = or_null(m->cert),
		.key = or_null(m->key),
		.user = or_null(m->user),
		.password = *m->user ? password : NULL,
		.timeout_ms = wait_ms,
	};
	int err = *m->user ? read_password(m->password_file, password) : 0;

	*e = NULL;
	if (!err)
		err = etcd_open(e, &config);
	explicit_bzero(password, sizeof(password));
	return err;
}
