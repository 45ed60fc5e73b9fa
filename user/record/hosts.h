/* SPDX-License-Identifier: GPL-2.0-only */
/* All hosts except this one, sorted by name. */
#ifndef TSW_HOSTS_H
#define TSW_HOSTS_H

#include <tsw/object.h>

#include "store/tsw.h"

struct hosts {
	struct host_row {
		__u32 id;
		struct tsw_host host;
	} * row;
	size_t n;
	__u16 at[TSW_MAX_HOSTS + 1]; /* id -> index of the row, plus 1; 0: no such host */
};

int hosts_read(const struct tsw *t, struct hosts *all);
void hosts_free(struct hosts *all);
const struct host_row *hosts_row(const struct hosts *all, __u32 id); /* or NULL */

/* The name of the host with that id; 0 is this host. Empty: the host is not known any more. */
struct tsw_name host_name_of(const struct tsw *t, __u32 id);

/* The MTU of the underlay of the host with that id; 0: not known. */
int host_mtu_get(const struct tsw *t, __u32 id, __u32 *mtu);

/* The specification of HOST, which has that id. */
int host_spec_get(const struct tsw *t, __u32 id, const struct tsw_host *host,
		  struct tsw_host_spec *spec);

#define cleanup_hosts __attribute__((cleanup(hosts_free)))

#endif
