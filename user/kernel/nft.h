/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nftables of the router, see netns.h, through libnftables: elements of the sets and maps of the
 * table `inet tsw`, and what ruleset.c asks for. Without a router that is -ENOENT. All functions
 * that return int return 0 or a negative errno with the message
 * set.
 */
#ifndef TSW_NFT_H
#define TSW_NFT_H

#include <jansson.h>
#include <stdbool.h>

#include <tsw/abi.h>

/*
 * What is to be done in one transaction, in order: an array of
 * {"do": "add" or "delete", "set": name, "elem": [[key], or [key, value], ...]}, or
 * {"do": "before" or "after", "text": line}.
 */
struct nft_change {
	json_t *commands;
};

void nft_begin(struct nft_change *c);

/*
 * An element of a set or, with a VALUE, of a map; takes the references. One that is there already
 * with the same value stays; with another value the transaction is refused.
 */
void nft_put(struct nft_change *c, const char *set, json_t *key, json_t *value);

/*
 * A line in nftables' own language, about other than elements: in front of all elements of the
 * change, or behind them. In the order in which they are given.
 */
void nft_before(struct nft_change *c, const char *text);
void nft_after(struct nft_change *c, const char *text);

/* There or not, it is not there afterwards. VALUE must be the one that it has. */
void nft_drop(struct nft_change *c, const char *set, json_t *key, json_t *value);

/* Of a command, or of what nft_list() tells; "": it has no such text. */
static inline const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* All or nothing; frees it. With nothing in it nothing is done. */
int nft_commit(struct nft_change *c);
void nft_abandon(struct nft_change *c);

json_t *nft_mark(__u32 mark);
json_t *nft_number(__u32 number);
json_t *nft_addr(const struct tsw_addr *addr);
json_t *nft_word(const char *word); /* of nftables, as "tcp" */
json_t *nft_jump(const char *chain);
json_t *nft_concat(json_t *first, ...); /* up to NULL; takes the references */

/* FIRST and TEXT, in nftables' own language, then C, which may be NULL: one transaction. */
int nft_run(const char *first, const char *text, const struct nft_change *c);

/*
 * What nftables answers to that: the objects of its list; NULL: the message is set. Without
 * ELEMENTS the library does not read those of any table, which takes its time.
 */
json_t *nft_list(const char *text, bool elements);

/* As netlink_close(): the library keeps a socket, too. */
void nft_close(void);

#endif
