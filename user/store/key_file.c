// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "kernel/owner.h"
#include "store/key_file.h"

#define DIR "/var/lib/tsw"
/* The first line says which program's file it is. */
#define TITLE "tenant-switch private keys 1\n"

enum { PARENT_MODE = 0755, OTHERS = 077 };
/* Each line has one of these words, the private and the public key. The newest key is last. */
static const char in_use[] = "used", kept[] = "kept";
enum {
	LINE_LEN = sizeof(in_use) + 2 * KEY_TEXT,
	TEXT_LEN = sizeof(TITLE) + TSW_CRYPT_PARITIES * LINE_LEN
};

static void path_of(char path[KEY_FILE_PATH], const char *instance, const char *end)
{
	snprintf(path, KEY_FILE_PATH, DIR "/%s.key%s", instance, end);
}

void key_file_path(char path[KEY_FILE_PATH], const char *instance)
{
	path_of(path, instance, "");
}

void own_keys_wipe(struct own_keys *keys)
{
	explicit_bzero(keys, sizeof(*keys));
}

const struct own_key *own_key_of(const struct own_keys *keys, unsigned int parity)
{
	size_t i;

	for (i = 0; i < keys->n; i++)
		if (TSW_CRYPT_PARITY(keys->at[i].public) == parity)
			return &keys->at[i];
	return NULL;
}

unsigned int own_keys_used(const struct own_keys *keys)
{
	return keys->n ? TSW_CRYPT_PARITY(keys->at[keys->used].public) : 0;
}

unsigned int own_keys_newest(const struct own_keys *keys)
{
	return keys->n ? TSW_CRYPT_PARITY(keys->at[keys->n - 1].public) : 0;
}

/* Clears and sets the bits that X25519 does not use (RFC 7748 section 5). */
int own_key_draw(__u8 private[TSW_CRYPT_KEY])
{
	if (getrandom(private, TSW_CRYPT_KEY, 0) != TSW_CRYPT_KEY)
		return fail(errno, "cannot get random numbers: %s", strerror(errno));
	private[0] &= 248;
	private[TSW_CRYPT_KEY - 1] &= 127;
	private[TSW_CRYPT_KEY - 1] |= 64;
	return 0;
}

/* ---- the directory ---------------------------------------------------------------- */

/* Fails if other users can write to the directory: they could choose this host's key. */
static int check_directory(void)
{
	char owner[OWNER_LEN];
	struct stat st;

	if (lstat(DIR, &st))
		return errno == ENOENT ? 0 : fail(errno, DIR ": %s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR, DIR " is not a directory");
	if (st.st_uid != geteuid())
		return fail(EPERM, DIR " belongs to %s: chown root " DIR,
			    owner_text(st.st_uid, owner));
	return st.st_mode & 022 ? fail(EPERM, "others can write to " DIR ": chmod go-w " DIR) : 0;
}

/* Makes the directory where systemd has a service's state, but without access for others. */
static int make_directory(void)
{
	if (mkdir("/var/lib", PARENT_MODE) && errno != EEXIST)
		return fail(errno, "cannot make /var/lib: %s", strerror(errno));
	if (mkdir(DIR, 0700) && errno != EEXIST)
		return fail(errno, "cannot make " DIR ": %s", strerror(errno));
	return check_directory();
}

static int sync_directory(void)
{
	cleanup_close int dir = open(DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 || fsync(dir) ? fail(errno, DIR ": %s", strerror(errno)) : 0;
}

/* ---- the file --------------------------------------------------------------------- */

bool key_file_exists(const char *instance)
{
	char path[KEY_FILE_PATH];
	struct stat st;

	path_of(path, instance, "");
	return !lstat(path, &st);
}

static int check_file(const char *path, int fd)
{
	char owner[OWNER_LEN];
	struct stat st;

	if (fstat(fd, &st))
		return fail(errno, "%s: %s", quoted(path), strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(EPERM, "%s is not a regular file", quoted(path));
	if (st.st_uid != geteuid())
		return fail(EPERM, "%s has private keys, but belongs to %s: tsw does not use it",
			    quoted(path), owner_text(st.st_uid, owner));
	if (st.st_mode & OTHERS)
		return fail(EPERM,
			    "%s has private keys, but others may open it (mode %03o) and could "
			    "decrypt frames between hosts: chmod 600 and run switch rekey, or "
			    "remove it for a new key",
			    quoted(path), st.st_mode & 07777);
	return 0;
}

static bool read_line(char *line, struct own_keys *keys)
{
	const char *word = strsep(&line, " "), *private = strsep(&line, " ");
	struct own_key *key = &keys->at[keys->n];

	if (!line || !key_read(private, key->private) || !key_read(line, key->public) ||
	    own_key_of(keys, TSW_CRYPT_PARITY(key->public)))
		return false;
	if (!strcmp(word, in_use))
		keys->used = keys->n;
	else if (strcmp(word, kept))
		return false;
	keys->n++;
	return true;
}

static int read_text(char *text, struct own_keys *keys)
{
	char *line = text + strlen(TITLE), *end;

	if (strncmp(text, TITLE, strlen(TITLE)))
		return -EINVAL;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end || keys->n == TSW_CRYPT_PARITIES)
			return -EINVAL;
		*end = '\0';
		if (!read_line(line, keys))
			return -EINVAL;
	}
	return keys->n ? 0 : -EINVAL;
}

static int read_open(const char *path, int fd, struct own_keys *keys)
{
	char text[TEXT_LEN + 1] = "";
	ssize_t len = read(fd, text, TEXT_LEN);
	int err = len < 0 ? -errno : 0;

	err = err ?: read_text(text, keys);
	explicit_bzero(text, sizeof(text));
	if (err == -EINVAL)
		return fail(EINVAL,
			    "%s is not as tsw wrote it: restore it, or remove it for a new key, "
			    "which the other hosts then need",
			    quoted(path));
	return err ? fail(err, "cannot read %s: %s", quoted(path), strerror(-err)) : 0;
}

int key_file_read(const char *instance, struct own_keys *keys)
{
	char path[KEY_FILE_PATH];
	cleanup_close int fd = -1;
	int err = check_directory();

	*keys = (struct own_keys){};
	path_of(path, instance, "");
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT
			       ? -ENOENT
			       : fail(errno, "cannot open %s: %s", quoted(path), strerror(errno));
	err = check_file(path, fd);
	return err ?: read_open(path, fd, keys);
}

static void write_text(const struct own_keys *keys, char text[TEXT_LEN + 1])
{
	char private[KEY_TEXT], public[KEY_TEXT];
	size_t i, used = (size_t)snprintf(text, TEXT_LEN, "%s", TITLE);

	for (i = 0; i < keys->n; i++) {
		key_write(keys->at[i].private, private);
		key_write(keys->at[i].public, public);
		used += (size_t)snprintf(text + used, TEXT_LEN + 1 - used, "%s %s %s\n",
					 i == keys->used ? in_use : kept, private, public);
	}
	explicit_bzero(private, sizeof(private));
}

/* Writes a new file. Replaces one that a killed command left before it got its final name. */
static int write_new(const char *path, const struct own_keys *keys)
{
	char text[TEXT_LEN + 1];
	cleanup_close int fd = -1;
	size_t len;
	int err = 0;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fail(errno, "cannot make %s: %s", quoted(path), strerror(errno));
	write_text(keys, text);
	len = strlen(text);
	if (write(fd, text, len) != (ssize_t)len || fsync(fd))
		err = fail(errno, "cannot write %s: %s", quoted(path), strerror(errno));
	explicit_bzero(text, sizeof(text));
	return err;
}

int key_file_write(const char *instance, const struct own_keys *keys)
{
	char path[KEY_FILE_PATH], new[KEY_FILE_PATH];
	int err = make_directory();

	path_of(path, instance, "");
	path_of(new, instance, ".new");
	err = err ?: write_new(new, keys);
	if (!err && rename(new, path))
		err = fail(errno, "cannot write %s: %s", quoted(path), strerror(errno));
	if (err)
		unlink(new);
	return err ?: sync_directory();
}

int key_file_remove(const char *instance)
{
	static const char *const ends[] = {"", ".new"};
	char path[KEY_FILE_PATH];
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		path_of(path, instance, ends[i]);
		if (unlink(path) && errno != ENOENT && errno != ENOTDIR)
			return fail(errno, "cannot remove %s: %s", quoted(path), strerror(errno));
	}
	return 0;
}
