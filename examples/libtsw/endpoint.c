// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds an endpoint by libtsw and prints its tenant's counters.
 *
 *   cc endpoint.c -o endpoint $(pkg-config --cflags --libs libtsw)
 *   ./endpoint h1 red web 02:00:00:00:00:07 10.0.0.7 veth7
 *
 * The switch of the network namespace h1 is up, and has the tenant.
 */
#include <stdio.h>
#include <string.h>

#include <tsw/object.h>

static void tell(void *context, enum tsw_log level, const char *text)
{
	(void)context;
	if (level == TSW_LOG_NOTE)
		fprintf(stderr, "note: %s\n", text);
}

static int read_words(char **word, struct tsw_endpoint_spec *spec)
{
	int err = tsw_read_name(word[0], &spec->tenant);

	if (!err)
		err = tsw_read_name(word[1], &spec->name);
	if (!err)
		err = tsw_read_mac(word[2], &spec->mac);
	if (!err)
		err = tsw_read_addr(word[3], &spec->ip.at[spec->ip.n++]);
	snprintf(spec->dev, sizeof(spec->dev), "%s", word[4]);
	return err;
}

int main(int argc, char **argv)
{
	struct tsw_options options = {.wait_ms = 10000, .log = tell};
	struct tsw_endpoint_spec spec = {};
	struct tsw *t = NULL;
	struct tsw_stats stats;
	__u64 drops;
	int err;

	if (argc != 7) {
		fprintf(stderr, "usage: %s NETNS TENANT NAME MAC IP DEV\n", argv[0]);
		return 2;
	}
	options.netns = argv[1];
	err = read_words(argv + 2, &spec);
	if (!err)
		err = tsw_open(&options, &t);
	if (!err)
		err = tsw_endpoint_put(t, &spec);
	if (!err)
		err = tsw_tenant_counters(t, spec.tenant.s, &stats, &drops);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[0], tsw_error());
	else
		printf("%s: local %llu, to tunnels %llu, from tunnels %llu, dropped %llu\n",
		       spec.tenant.s, stats.local.packets, stats.tunnel_tx.packets,
		       stats.tunnel_rx.packets, drops);
	tsw_close(t);
	return err ? tsw_error_status() : 0;
}
