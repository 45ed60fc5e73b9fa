/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private keys of a switch, in /var/lib/tsw/INSTANCE.key, which only root may read. The file
 * exists from the first key to `switch down`, so the switch keeps its key over a reboot.
 */
#ifndef TSW_KEY_FILE_H
#define TSW_KEY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

/* One key; during a rekey the old one, then the new one. */
struct own_keys {
	struct own_key {
		__u8 private[TSW_CRYPT_KEY];
		__u8 public[TSW_CRYPT_KEY];
	} at[TSW_CRYPT_PARITIES];
	size_t n;
	size_t used; /* index of the key that it sends with */
};

/* Overwrites the keys in memory. */
void own_keys_wipe(struct own_keys *keys);

#define cleanup_keys __attribute__((cleanup(own_keys_wipe)))

/* The key of that parity, or NULL. */
const struct own_key *own_key_of(const struct own_keys *keys, unsigned int parity);

/* The parity of the key that it sends with, and of the newest one. */
unsigned int own_keys_used(const struct own_keys *keys);
unsigned int own_keys_newest(const struct own_keys *keys);

/* Draws a new private key. The kernel computes its public key. */
int own_key_draw(__u8 private[TSW_CRYPT_KEY]);

bool key_file_exists(const char *instance);

/* -ENOENT without message: no file. -EPERM: others can read or write it. */
int key_file_read(const char *instance, struct own_keys *keys);

/* Writes the whole file or nothing. It is on the disk when this returns. */
int key_file_write(const char *instance, const struct own_keys *keys);
int key_file_remove(const char *instance);

#endif
