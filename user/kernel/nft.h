/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nftables of the router, see netns.h, by libnftables: elements of the sets and maps of the table
 * `inet tsw`, and the rules of ruleset.c. All functions that return int return 0 or a negative
 * errno with the message set; -ENOENT without a router.
 */
#ifndef TSW_NFT_H
#define TSW_NFT_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/abi.h>

/*
 * The commands of one transaction, in order: an array of
 * {"do": "add" or "delete", "set": name, "elem": [[key], or [key, value], ...]}, or
 * {"do": "before" or "after", "text": line}.
 */
struct nft_change {
	json_t *commands;
};

void nft_begin(struct nft_change *c);

/*
 * Adds an element to a set or, with a VALUE, to a map; takes the references. If the element exists
 * with another value, the transaction is refused.
 */
void nft_put(struct nft_change *c, const char *set, json_t *key, json_t *value);

/*
 * Lines in nftables' own language, before and after all elements of the change, in the order of the
 * calls.
 */
void nft_before(struct nft_change *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void nft_after(struct nft_change *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Deletes an element, which may be missing. VALUE must be the one that it has. */
void nft_drop(struct nft_change *c, const char *set, json_t *key, json_t *value);

/* Makes the whole change or nothing, and frees it. An empty change does nothing. */
int nft_commit(struct nft_change *c);
void nft_abandon(struct nft_change *c);

json_t *nft_mark(__u32 mark);
json_t *nft_number(__u32 number);
json_t *nft_addr(const struct tsw_addr *addr);
json_t *nft_word(const char *word); /* a word of nftables, such as "tcp" */
json_t *nft_jump(const char *chain);
json_t *nft_concat(json_t *first, ...); /* up to NULL; takes the references */

/* Runs FIRST and TEXT, in nftables' own language, then C, which may be NULL, in one transaction. */
int nft_run(const char *first, const char *text, const struct nft_change *c);

/*
 * The objects that nftables lists for TEXT; NULL: the message is set. Without ELEMENTS the library
 * does not read the elements of all tables, which takes long.
 */
json_t *nft_list(const char *text, bool elements);

/* Like netlink_close(), for the library's socket. */
void nft_close(void);

#endif
