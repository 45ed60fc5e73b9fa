// SPDX-License-Identifier: GPL-2.0-only
/* The file of private keys, in a /var/lib of this test's own, which needs root. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/key.h"
#include "store/key_file.h"

#include <cmocka.h>

#define FILE_PATH "/var/lib/tsw/unit.key"

static bool ours; /* /var/lib is */

static int own_directory(void **state)
{
	(void)state;
	ours = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/var/lib", "tmpfs", 0, "mode=755");
	return 0;
}

static struct own_keys two(void)
{
	struct own_keys keys = {.n = 2, .used = 1};
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(own_key_draw(keys.at[i].private), 0);
		keys.at[i].public[0] = i ? 0x11 : 0x10;
	}
	return keys;
}

static void drawn(void **state)
{
	__u8 key[TSW_CRYPT_KEY], other[TSW_CRYPT_KEY];

	(void)state;
	assert_int_equal(own_key_draw(key), 0);
	assert_int_equal(own_key_draw(other), 0);
	assert_int_equal(key[0] & 7, 0);
	assert_int_equal(key[TSW_CRYPT_KEY - 1] & 0xc0, 0x40);
	assert_false(key_equal(key, other));
}

static void kept(void **state)
{
	struct own_keys keys = two(), back;
	struct stat st;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(key_file_read("unit", &back), -ENOENT);
	assert_int_equal(key_file_write("unit", &keys), 0);
	assert_int_equal(stat(FILE_PATH, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(key_file_read("unit", &back), 0);
	assert_memory_equal(&back, &keys, sizeof(keys));
	assert_int_equal(own_keys_used(&back), 1);
	keys.n = 1;
	keys.used = 0;
	memset(&keys.at[1], 0, sizeof(keys.at[1]));
	assert_int_equal(key_file_write("unit", &keys), 0);
	assert_int_equal(key_file_read("unit", &back), 0);
	assert_memory_equal(&back, &keys, sizeof(keys));
	assert_int_equal(access(FILE_PATH ".new", F_OK), -1);
	assert_int_equal(key_file_remove("unit"), 0);
	assert_false(key_file_exists("unit"));
	assert_int_equal(key_file_remove("unit"), 0);
}

/* No message has a word of what is in the file. */
static void refused(int want, const char *why)
{
	struct own_keys keys;

	assert_int_equal(key_file_read("unit", &keys), want);
	if (!strstr(failure()->text, why))
		fail_msg("\"%s\" is not in: %s", why, failure()->text);
	assert_null(strstr(failure()->text, "used "));
}

static void put(const char *text)
{
	FILE *file = fopen(FILE_PATH, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void not_believed(void **state)
{
	static const char *const texts[] = {
		"",
		"tenant-switch private keys 2\n",
		"tenant-switch private keys 1\n",
		"tenant-switch private keys 1\nused\n",
		"tenant-switch private keys 1\nused AAAA BBBB\n",
		"tenant-switch private keys 1\nother " /* no such word */
		"//////////////////////////////////////////8= "
		"//////////////////////////////////////////8=\n",
		"tenant-switch private keys 1\nused " /* cut off */
		"//////////////////////////////////////////8= "
		"//////////////////////////////////////////8=",
	};
	struct own_keys keys = two();
	size_t i;

	(void)state;
	if (!ours)
		skip();
	assert_int_equal(key_file_write("unit", &keys), 0);
	assert_int_equal(chmod(FILE_PATH, 0640), 0);
	refused(-EPERM, "mode 640");
	assert_int_equal(chmod(FILE_PATH, 0600), 0);
	assert_int_equal(chown(FILE_PATH, 1, 0), 0);
	refused(-EPERM, "belongs to uid 1");
	assert_int_equal(chown(FILE_PATH, 0, 0), 0);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(texts[i]);
		refused(-EINVAL, "not as tsw wrote it");
	}
	assert_int_equal(rename(FILE_PATH, "/var/lib/elsewhere"), 0);
	assert_int_equal(symlink("/var/lib/elsewhere", FILE_PATH), 0);
	refused(-ELOOP, "cannot open");
	assert_int_equal(key_file_remove("unit"), 0);
	assert_int_equal(chmod("/var/lib/tsw", 0777), 0);
	refused(-EPERM, "go-w");
	assert_int_equal(chmod("/var/lib/tsw", 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn),
		cmocka_unit_test(kept),
		cmocka_unit_test(not_believed),
	};

	return cmocka_run_group_tests_name("key_file", tests, own_directory, NULL);
}
