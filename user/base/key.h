/* SPDX-License-Identifier: GPL-2.0-only */
/* Public keys as people and programs write them: base64 (RFC 4648 section 4) of 32 octets. */
#ifndef TSW_KEY_H
#define TSW_KEY_H

#include <stdbool.h>

#include <tsw/object.h>

enum { KEY_TEXT = 44 + 1 }; /* with its NUL */

/* Writes to TO, which the caller can wipe afterwards. */
void key_write(const __u8 key[TSW_CRYPT_KEY], char to[KEY_TEXT]);

/* Only for public keys: the text is in one of a few static buffers in turn. */
const char *key_text(const __u8 key[TSW_CRYPT_KEY]);

/* Reads the only valid text of a key: 44 characters, no bit set behind its end. False: invalid. */
bool key_read(const char *text, __u8 key[TSW_CRYPT_KEY]);

/* A host's public key; misuse() if TEXT is not a key, or the key is zero. */
int parse_key(const char *text, struct tsw_key *key);

bool key_is_none(const __u8 key[TSW_CRYPT_KEY]);
bool key_equal(const __u8 a[TSW_CRYPT_KEY], const __u8 b[TSW_CRYPT_KEY]);

#endif
