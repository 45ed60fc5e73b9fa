// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/owner.h"

const char *owner_text(uid_t uid, char owner[OWNER_LEN])
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(owner, OWNER_LEN, "uid %u (%s)", uid, quoted(user->pw_name));
	else
		snprintf(owner, OWNER_LEN, "uid %u", uid);
	return owner;
}

static int no_stat(const char *path)
{
	return errno == ENOENT ? -ENOENT : fail(errno, "%s: %s", path, strerror(errno));
}

/* A user who can write to PARENT can replace PATH, unless PARENT is sticky. */
static int check_parent(const char *path, const char *parent, const struct stat *dir)
{
	char owner[OWNER_LEN];

	if (dir->st_uid && dir->st_uid != geteuid())
		return fail(EPERM, "%s belongs to %s, who could replace %s: it must belong to root",
			    parent, owner_text(dir->st_uid, owner), path);
	if (dir->st_mode & 022 && !(dir->st_mode & S_ISVTX))
		return fail(EPERM,
			    "%s has mode %04o, so other users could replace %s: chmod go-w %s",
			    parent, dir->st_mode & 07777, path, parent);
	return 0;
}

static int refuse(const char *path, const struct stat *st)
{
	const char *kind = S_ISDIR(st->st_mode)	  ? "a directory"
			   : S_ISLNK(st->st_mode) ? "a symbolic link"
						  : "a file";
	char owner[OWNER_LEN], user[OWNER_LEN];

	return fail(
		EPERM,
		"%s is %s of %s with mode %04o, but must be a directory that only %s can write: "
		"rm -r %s",
		path, kind, owner_text(st->st_uid, owner), st->st_mode & 07777,
		owner_text(geteuid(), user), path);
}

int owner_check_directory(const char *path, const char *parent)
{
	struct stat in, st;
	int err;

	if (stat(parent, &in))
		return no_stat(parent);
	err = check_parent(path, parent, &in);
	if (err)
		return err;
	if (lstat(path, &st))
		return no_stat(path);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return 0;
	refuse(path, &st);
	if (in.st_mode & 022) /* sticky: others could make it again */
		fail_more(", and keep others from making it again with chmod go-w %s", parent);
	return -EPERM;
}
