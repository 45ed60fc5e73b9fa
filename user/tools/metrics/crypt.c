// SPDX-License-Identifier: GPL-2.0-only
#include "record/host_keys.h"
#include "tools/metrics/parts.h"
#include "wire/crypt.h"

/* The time itself, as Prometheus has it: what is past is found by time() less it. */
static void print_handshakes(struct expo *x, const struct crypt *c)
{
	__u64 rx, tx;
	size_t i;

	expo_begin(
		x, "tsw_crypt_handshake_timestamp_seconds", EXPO_GAUGE,
		"When WireGuard last shook hands with a host; 0: never. One is due every 180 s.");
	for (i = 0; i < c->hosts.n; i++)
		if (host_has_key(&c->host_keys[i]))
			expo_of(x, "host", c->hosts.row[i].host.name,
				crypt_traffic(c, i, &rx, &tx));
	expo_end(x);
}

static void print_bytes(struct expo *x, const struct crypt *c)
{
	__u64 bytes[2];
	size_t i, k;

	expo_begin(x, "tsw_crypt_bytes_total", EXPO_COUNTER,
		   "Octets of encrypted packets from (rx) and to (tx) a host.");
	for (i = 0; i < c->hosts.n; i++) {
		if (!host_has_key(&c->host_keys[i]))
			continue;
		crypt_traffic(c, i, &bytes[0], &bytes[1]);
		for (k = 0; k < 2; k++) {
			expo_label(x, "host", c->hosts.row[i].host.name);
			expo_label(x, "direction", k ? "tx" : "rx");
			expo_value(x, bytes[k]);
		}
	}
	expo_end(x);
}

int metrics_crypt(const struct tsw *t, struct expo *x)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_is_on(t) ? crypt_read(t, &c) : 0;

	if (err || !crypt_is_on(t))
		return err;
	print_handshakes(x, &c);
	print_bytes(x, &c);
	return 0;
}
