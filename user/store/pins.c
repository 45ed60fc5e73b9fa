// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/owner.h"
#include "store/pins.h"

#define BPFFS "/sys/fs/bpf"
#define PINS BPFFS "/tsw"

static const char *const parts[] = {"links", "progs", "maps"};

enum { PARTS = sizeof(parts) / sizeof(parts[0]), OPEN_DIRS = 8 };

void pins_dir(char path[PINS_PATH], const char *instance)
{
	snprintf(path, PINS_PATH, PINS "/%s", instance);
}

void pins_path(char path[PINS_PATH], const char *instance, const char *what)
{
	snprintf(path, PINS_PATH, PINS "/%s/%s", instance, what);
}

bool pins_have_fs(void)
{
	struct statfs fs;

	return !statfs(BPFFS, &fs) && fs.f_type == BPF_FS_MAGIC;
}

#define MOUNT "mount -t bpf -o mode=0700 bpf " BPFFS

#define NO_FS BPFFS " is not a BPF filesystem"

static int fail_no_fs(void)
{
	return fail(ENODEV,
		    NO_FS "; mount one with: " MOUNT " (ip netns exec hides it: use tsw -n NAME)");
}

/* Whether this is process 1's mount namespace. In another one the pins may end with a command. */
static bool is_lasting(void)
{
	struct stat own, first;

	return !stat("/proc/self/ns/mnt", &own) && !stat("/proc/1/ns/mnt", &first) &&
	       own.st_ino == first.st_ino && own.st_dev == first.st_dev;
}

int pins_check_mount(void)
{
	if (pins_have_fs() || is_lasting())
		return 0;
	return fail(ENODEV, NO_FS ", and tsw does not mount one outside of process 1's mount "
				  "namespace: tsw -n NAME or " MOUNT);
}

int pins_mount_fs(void)
{
	int err = pins_check_mount();

	if (err || !mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME,
			  "mode=0700"))
		return err;
	return fail(ENODEV, NO_FS ", and mounting one failed: %s; mount one with: " MOUNT,
		    strerror(errno));
}

static int check_ours(void)
{
	const int err = owner_check_directory(PINS, BPFFS);

	return err == -ENOENT ? 0 : err;
}

int pins_check_fs(void)
{
	return pins_have_fs() ? check_ours() : fail_no_fs();
}

bool pins_exist(const char *instance)
{
	char path[PINS_PATH];
	struct stat dir;

	pins_dir(path, instance);
	return !lstat(path, &dir);
}

static int is_instance(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int pins_each(int (*each)(void *context, const char *instance), void *context)
{
	struct dirent **all;
	int err = pins_check_fs(), n, i;

	if (err)
		return err;
	n = scandir(PINS, &all, is_instance, alphasort);
	if (n < 0)
		return errno == ENOENT ? 0
				       : fail(errno, "cannot read " PINS ": %s", strerror(errno));
	for (i = 0; i < n; i++) {
		err = err ?: each(context, all[i]->d_name);
		free(all[i]);
	}
	free(all);
	return err;
}

static int make_parts(const char *instance)
{
	char path[PINS_PATH];
	int i;

	for (i = 0; i < PARTS; i++) {
		pins_path(path, instance, parts[i]);
		if (mkdir(path, 0700) && errno != EEXIST)
			return fail(errno, "cannot make %s: %s", escaped(path), strerror(errno));
	}
	return 0;
}

int pins_make(const char *instance)
{
	char path[PINS_PATH];
	int err;

	pins_dir(path, instance);
	if (mkdir(PINS, 0700) && errno != EEXIST)
		return fail(errno, "cannot make " PINS ": %s", strerror(errno));
	err = check_ours(); /* another process may have made it */
	if (err)
		return err;
	if (mkdir(path, 0700))
		return fail(errno, "cannot make %s: %s", escaped(path), strerror(errno));
	return make_parts(instance);
}

bool pins_are_whole(const char *instance)
{
	bool whole = true;
	int i;

	for (i = 0; i < PARTS; i++)
		whole &= pins_has(instance, parts[i]);
	return whole;
}

int pins_mend(const char *instance)
{
	return pins_exist(instance) ? make_parts(instance) : pins_make(instance);
}

static void empty(const char *dir)
{
	char path[PINS_PATH + 264];
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return;
	while ((entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path); /* not `.` and `..`, which are directories */
	}
	closedir(d);
}

int pins_remove(const char *instance)
{
	char path[PINS_PATH];
	int i;

	for (i = 0; i < PARTS; i++) {
		pins_path(path, instance, parts[i]);
		empty(path);
		rmdir(path);
	}
	pins_dir(path, instance);
	pins_drop_next(instance);
	if (rmdir(path) && errno != ENOENT)
		return fail(errno, "cannot remove %s: %s", escaped(path), strerror(errno));
	rmdir(PINS); /* stays while another switch is pinned there */
	return 0;
}

void pin_path(char path[PINS_PATH], const char *instance, const char *part, const char *name)
{
	snprintf(path, PINS_PATH, PINS "/%s/%s/%s", instance, part, name);
}

bool pin_exists(const char *instance, const char *part, const char *name)
{
	char path[PINS_PATH];

	pin_path(path, instance, part, name);
	return !access(path, F_OK);
}

int pin_open_at(const char *path, bool writes)
{
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = BPF_F_RDONLY);
	int fd = bpf_obj_get(path);

	return fd < 0 && errno == EROFS && !writes ? bpf_obj_get_opts(path, &opts) : fd;
}

int pin_open(const char *instance, const char *part, const char *name)
{
	char path[PINS_PATH];

	pin_path(path, instance, part, name);
	return bpf_obj_get(path);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	(void)stat, (void)type, (void)at;
	return remove(path);
}

int pins_drop_fresh(const char *instance)
{
	char path[PINS_PATH];

	pins_path(path, instance, PINS_FRESH);
	if (!nftw(path, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS) || errno == ENOENT)
		return 0;
	return fail(errno, "cannot remove %s: %s", escaped(path), strerror(errno));
}

int pins_drop_next(const char *instance)
{
	char fresh[PINS_PATH], next[PINS_PATH];
	int err = pins_drop_fresh(instance);

	pins_path(fresh, instance, PINS_FRESH);
	pins_path(next, instance, PINS_NEXT);
	if (!err && rename(next, fresh))
		return errno == ENOENT ? 0
				       : fail(errno, "cannot rename %s: %s", escaped(next),
					      strerror(errno));
	return err ?: pins_drop_fresh(instance);
}

int pins_make_fresh(const char *instance)
{
	static const char *const dirs[] = {"", "/progs", "/maps", "/old"};
	char path[PINS_PATH], dir[PINS_PATH + 8];
	unsigned int i;
	int err = pins_drop_fresh(instance);

	pins_path(path, instance, PINS_FRESH);
	for (i = 0; !err && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(dir, sizeof(dir), "%s%s", path, dirs[i]);
		if (mkdir(dir, 0700))
			err = fail(errno, "cannot make %s: %s", escaped(dir), strerror(errno));
	}
	return err;
}

int pins_fresh_to_next(const char *instance)
{
	char fresh[PINS_PATH], next[PINS_PATH];

	pins_path(fresh, instance, PINS_FRESH);
	pins_path(next, instance, PINS_NEXT);
	if (!rename(fresh, next))
		return 0;
	return fail(errno, "cannot rename %s: %s", escaped(fresh), strerror(errno));
}

bool pins_has(const char *instance, const char *what)
{
	char path[PINS_PATH];

	pins_path(path, instance, what);
	return !access(path, F_OK);
}

unsigned int pins_count(const char *instance, const char *what)
{
	char path[PINS_PATH];
	struct dirent *entry;
	unsigned int n = 0;
	DIR *d;

	pins_path(path, instance, what);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

int pins_move(const char *instance, const char *from, const char *to)
{
	char path[PINS_PATH], old[PINS_PATH + 264], new[PINS_PATH + 264], dir[PINS_PATH];
	struct dirent *entry;
	int err = 0;
	DIR *d;

	pins_path(path, instance, from);
	pins_path(dir, instance, to);
	d = opendir(path);
	while (d && !err && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(old, sizeof(old), "%s/%s", path, entry->d_name);
		snprintf(new, sizeof(new), "%s/%s", dir, entry->d_name);
		if (rename(old, new))
			err = fail(errno, "cannot rename %s: %s", escaped(old), strerror(errno));
	}
	if (d)
		closedir(d);
	return err;
}
