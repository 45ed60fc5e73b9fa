// SPDX-License-Identifier: GPL-2.0-only
/* The files of certificates, key and password. They are read when they are used, never kept. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "etcd/call.h"
#include "kernel/trusted_file.h"

/*
 * Whoever writes the CA's file decides which server counts as etcd, and whoever reads the key can
 * act as this host.
 */
int etcd_check_files(const struct etcd *e)
{
	int err = e->ca ? trusted_file_check(e->ca, OTHERS_WRITE) : 0;

	if (!err && e->cert)
		err = trusted_file_check(e->cert, OTHERS_WRITE);
	if (!err && e->key)
		err = trusted_file_check(e->key, OTHERS_ANY);
	if (!err && e->password_file)
		err = trusted_file_check(e->password_file, OTHERS_ANY);
	return err;
}

bool etcd_files_changed(struct etcd *e)
{
	const char *const files[] = {e->ca, e->cert, e->key, e->password_file, e->wake};
	__u64 now = 0;
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		now *= 31;
		if (files[i] && !stat(files[i], &st))
			now += st.st_ino + (__u64)st.st_ctim.tv_sec * SECOND_NS +
			       (__u64)st.st_ctim.tv_nsec;
	}
	if (now == e->files)
		return false;
	e->files = now;
	return true;
}

int etcd_read_password(const struct etcd *e, char password[ETCD_PASSWORD])
{
	const int fd = trusted_file_open(e->password_file, OTHERS_ANY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int err = 0;

	if (fd < 0)
		return fd;
	if (!file || !fgets(password, ETCD_PASSWORD, file))
		err = fail(EINVAL, "%s has no password", quoted(e->password_file));
	else if (strlen(password) == ETCD_PASSWORD - 1)
		err = fail(EINVAL, "the password in %s is too long", quoted(e->password_file));
	else
		password[strcspn(password, "\r\n")] = '\0';
	if (!err && !*password)
		err = fail(EINVAL, "the first line of %s is empty, so it has no password",
			   quoted(e->password_file));
	if (file)
		fclose(file);
	else
		close(fd);
	return err;
}
