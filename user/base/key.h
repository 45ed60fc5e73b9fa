/* SPDX-License-Identifier: GPL-2.0-only */
/* Public keys as people and programs write them: base64 (RFC 4648 section 4) of 32 octets. */
#ifndef TSW_KEY_H
#define TSW_KEY_H

#include <stdbool.h>

#include <tsw/object.h>

enum { KEY_TEXT = 44 + 1 }; /* with its NUL */

/* Into TO, which is also good for a key that must be wiped. */
void key_write(const __u8 key[TSW_CRYPT_KEY], char to[KEY_TEXT]);

/* One of a few static buffers in turn: of a public key alone. */
const char *key_text(const __u8 key[TSW_CRYPT_KEY]);

/* The one text of a key: 44 characters, and no bit set behind its end. False: it is none. */
bool key_read(const char *text, __u8 key[TSW_CRYPT_KEY]);

/* A public key that some host can have: misuse() where it is none, or all zero. */
int parse_key(const char *text, struct tsw_key *key);

bool key_is_none(const __u8 key[TSW_CRYPT_KEY]);
bool key_equal(const __u8 a[TSW_CRYPT_KEY], const __u8 b[TSW_CRYPT_KEY]);

#endif
