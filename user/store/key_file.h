/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private keys of a switch, in /var/lib/tsw/INSTANCE.key, which only root may read. The file
 * exists from the first key until `switch down`, so a switch keeps its key across a reboot.
 */
#ifndef TSW_KEY_FILE_H
#define TSW_KEY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

/* One key; during a rekey two, the old one first. */
struct own_keys {
	struct own_key {
		__u8 private[TSW_CRYPT_KEY];
		__u8 public[TSW_CRYPT_KEY];
	} at[TSW_CRYPT_PARITIES];
	size_t n;
	size_t used; /* index of the key that the switch sends with */
};

/* Overwrites the keys in memory with zeros. */
void own_keys_wipe(struct own_keys *keys);

#define cleanup_keys __attribute__((cleanup(own_keys_wipe)))

/* The key of that parity, or NULL. */
const struct own_key *own_key_of(const struct own_keys *keys, unsigned int parity);

/* The parity of the key that the switch sends with, and that of the newest key. */
unsigned int own_keys_used(const struct own_keys *keys);
unsigned int own_keys_newest(const struct own_keys *keys);

/* Draws a random private key. The kernel computes the public one. 0 or -errno with a message. */
int own_key_draw(__u8 private[TSW_CRYPT_KEY]);

enum { KEY_FILE_PATH = 128 };
void key_file_path(char path[KEY_FILE_PATH], const char *instance);
bool key_file_exists(const char *instance);

/* -ENOENT without message: no file. -EPERM: others can read or write it. */
int key_file_read(const char *instance, struct own_keys *keys);

/* Replaces the file atomically, and returns when it is on the disk. */
int key_file_write(const char *instance, const struct own_keys *keys);
int key_file_remove(const char *instance);

#endif
