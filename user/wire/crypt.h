/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encryption between hosts: the switch's WireGuard devices, one for each pair of an own key and a
 * parity of other hosts' keys, with the hosts as their peers. See abi_crypt.h.
 *
 * While TSW_CFG_ENCRYPT is set, the programs send nothing in the clear, whatever is missing here.
 * So this is set up after that flag is set, and removed before it is cleared.
 */
#ifndef TSW_CRYPT_H
#define TSW_CRYPT_H

#include <tsw/object.h>

#include "kernel/wireguard.h"
#include "record/hosts.h"
#include "store/key_file.h"
#include "store/tsw.h"

enum { CRYPT_IDLE = 300 }; /* after so many seconds without a handshake a key is out of use */
enum { CRYPT_LATE = 180 }; /* WireGuard's REJECT_AFTER_TIME: no session is older */

struct crypt {
	struct tsw_crypt map;
	struct own_keys keys;
	struct hosts hosts;
	struct tsw_host_keys *host_keys; /* of each row of hosts */
	/* By own key and others' parity; empty if the switch has no such device. */
	struct wg_device device[TSW_CRYPT_PARITIES][TSW_CRYPT_PARITIES];
	__u64 now; /* seconds since 1970 */
};

bool crypt_is_on(const struct tsw *t);

/* Is there a host that has not answered by its new key yet, so that its old one is used? */
bool crypt_awaits(const struct tsw *t);

/* The first of the four UDP ports for encryption; 0: it is off. Is PORT one of the four? */
__u32 crypt_port(const struct tsw *t);
bool crypt_has_port(const struct tsw *t, __u32 port);

/* The switch's public keys, the newest last. Empty if encryption is off. */
int crypt_own_keys(const struct tsw *t, struct tsw_key_list *list);

/* Reads the present state; free it by crypt_free(). Without a key file it has no keys. */
int crypt_read(const struct tsw *t, struct crypt *c);
void crypt_free(struct crypt *c);

#define cleanup_crypt __attribute__((cleanup(crypt_free)))

/* For each parity of an own key and each parity of other hosts' keys. */
#define crypt_each(own, other)                         \
	for (own = 0; own < TSW_CRYPT_PARITIES; own++) \
		for (other = 0; other < TSW_CRYPT_PARITIES; other++)

/* Should this device exist? Should it have the host of row I as a peer, and with which *PEER? */
bool crypt_wants_device(const struct crypt *c, unsigned int own, unsigned int other);
bool crypt_wants_peer(const struct crypt *c, unsigned int own, unsigned int other, size_t i,
		      struct wg_peer *peer);

/* Does HAVE equal WANT? Its endpoint may be any address of the host. */
bool crypt_peer_fits(const struct wg_peer *have, const struct wg_peer *want,
		     const struct tsw_host *host);

/* Time of the last handshake of our key OWN with any key of the host of row I; 0: never. */
__u64 crypt_handshake(const struct crypt *c, unsigned int own, size_t i);
/* The same of any key of ours with the host's key OTHER. */
__u64 crypt_handshake_by(const struct crypt *c, unsigned int other, size_t i);

/* Do all hosts use our new key, and has none used the old one for long? */
bool crypt_is_idle(const struct crypt *c);

/* The last handshake by any keys, and octets of encrypted packets by all of them. */
__u64 crypt_traffic(const struct crypt *c, size_t i, __u64 *rx, __u64 *tx);

/* If encryption is on, repairs the devices, and advances keys that are being changed. */
int crypt_mend(struct tsw *t);

/* Repairs only which hosts get clear frames; called before encryption is turned on. */
int crypt_mend_clear(const struct tsw *t);

/* crypt_remove() removes all devices but keeps the key, which crypt_remove_key() removes. */
int crypt_remove(struct tsw *t);
int crypt_remove_key(const struct tsw *t);

/* Updates the devices for one host whose keys OLD become KEYS, or which has changed otherwise. */
int crypt_put_host(struct tsw *t, const struct tsw_host_keys *old, const struct tsw_host *host,
		   const struct tsw_host_keys *keys);

/* Makes the key that will replace the present one, and its devices. */
int crypt_begin_rekey(struct tsw *t);
/* From now on frames leave by the newest key. */
int crypt_use_newest(struct tsw *t);

#endif
