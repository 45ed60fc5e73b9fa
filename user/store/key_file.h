/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private keys of a switch: /var/lib/tsw/INSTANCE.key, which root alone may read. It is there
 * from the first key to `switch down`, so that the switch has the same one after a reboot.
 */
#ifndef TSW_KEY_FILE_H
#define TSW_KEY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

/* One, or of a switch that changes it the old one and the new one, which is last. */
struct own_keys {
	struct own_key {
		__u8 private[TSW_CRYPT_KEY];
		__u8 public[TSW_CRYPT_KEY];
	} at[TSW_CRYPT_PARITIES];
	size_t n;
	size_t used; /* the one that it sends by */
};

/* Leaves nothing of them in memory. */
void own_keys_wipe(struct own_keys *keys);

#define cleanup_keys __attribute__((cleanup(own_keys_wipe)))

/* That of a parity; NULL: there is none. */
const struct own_key *own_key_of(const struct own_keys *keys, unsigned int parity);

/* The parity of the key that it sends by, and of the newest one. */
unsigned int own_keys_used(const struct own_keys *keys);
unsigned int own_keys_newest(const struct own_keys *keys);

/* A new private one; its public one is the kernel's to tell. */
int own_key_draw(__u8 private[TSW_CRYPT_KEY]);

bool key_file_exists(const char *instance);

/* -ENOENT without message: there is none. -EPERM: others can read it, or put it there. */
int key_file_read(const char *instance, struct own_keys *keys);

/* All of it or nothing, on the disk when it returns. */
int key_file_write(const char *instance, const struct own_keys *keys);
int key_file_remove(const char *instance);

#endif
