/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What encrypts between hosts: the switch's WireGuard devices, one for each pair of an own key and
 * the parity of the others', and on them the hosts as peers. See abi_crypt.h.
 *
 * While TSW_CFG_ENCRYPT is set the programs send nothing in the clear, whatever is missing here. So
 * all of it comes behind that flag, and goes before it.
 */
#ifndef TSW_CRYPT_H
#define TSW_CRYPT_H

#include <tsw/object.h>

#include "kernel/wireguard.h"
#include "record/hosts.h"
#include "store/key_file.h"
#include "store/tsw.h"

enum { CRYPT_IDLE = 300 }; /* seconds without a handshake, and an old key is not used any more */
enum { CRYPT_LATE = 180 }; /* REJECT_AFTER_TIME: so old no session is */

struct crypt {
	struct tsw_crypt map;
	struct own_keys keys;
	struct hosts hosts;
	struct tsw_host_keys *host_keys; /* of each row of hosts */
	/* By own key and others' parity; none where the switch has none. */
	struct wg_device device[TSW_CRYPT_PARITIES][TSW_CRYPT_PARITIES];
	__u64 now; /* seconds since 1970 */
};

bool crypt_is_on(const struct tsw *t);

/* A host is still to answer by a new key, and is sent to by its old one. */
bool crypt_awaits(const struct tsw *t);

/* The first of the four UDP ports that it encrypts by; 0: it does not. Is PORT one of them? */
__u32 crypt_port(const struct tsw *t);
bool crypt_has_port(const struct tsw *t, __u32 port);

/* The public ones, the newest last; none where it does not encrypt. */
int crypt_own_keys(const struct tsw *t, struct tsw_key_list *list);

/* As it is; for crypt_free(). Where there is no key file, it has no keys. */
int crypt_read(const struct tsw *t, struct crypt *c);
void crypt_free(struct crypt *c);

#define cleanup_crypt __attribute__((cleanup(crypt_free)))

/* Each parity of an own key, and of others'. */
#define crypt_each(own, other)                         \
	for (own = 0; own < TSW_CRYPT_PARITIES; own++) \
		for (other = 0; other < TSW_CRYPT_PARITIES; other++)

/* Such a device is to be there; and on it the host of row I is to be *PEER. */
bool crypt_wants_device(const struct crypt *c, unsigned int own, unsigned int other);
bool crypt_wants_peer(const struct crypt *c, unsigned int own, unsigned int other, size_t i,
		      struct wg_peer *peer);

/* HAVE is as WANT; where it was last heard from may be another address of the host's. */
bool crypt_peer_fits(const struct wg_peer *have, const struct wg_peer *want,
		     const struct tsw_host *host);

/* When the host of row I last shook hands with that own key, by any key of its; 0: never. */
__u64 crypt_handshake(const struct crypt *c, unsigned int own, size_t i);
/* The same by that key of its, with any own one. */
__u64 crypt_handshake_by(const struct crypt *c, unsigned int other, size_t i);

/* Of all its keys and ours: the last handshake, and octets of encrypted packets. */
__u64 crypt_traffic(const struct crypt *c, size_t i, __u64 *rx, __u64 *tx);

/* With encryption on: of the devices, and so of what leaves, all that is not as it must be. */
int crypt_mend(struct tsw *t);

/* Of which hosts may be spoken to in the clear alone; before encryption is turned on. */
int crypt_mend_clear(const struct tsw *t);

/* All devices go; the key stays. With the key: all that the switch left of it. */
int crypt_remove(struct tsw *t);
int crypt_remove_key(const struct tsw *t);

/* The same for one host that was so, with those keys, and is otherwise. */
int crypt_put_host(struct tsw *t, const struct tsw_host_keys *old, const struct tsw_host *host,
		   const struct tsw_host_keys *keys);

/* Makes the key that takes the place of the one that is used, and what it needs. */
int crypt_begin_rekey(struct tsw *t);
/* From now on it is sent by the newest key. */
int crypt_use_newest(struct tsw *t);

#endif
