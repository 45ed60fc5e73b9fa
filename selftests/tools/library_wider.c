// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two handles of libtsw on one switch, for cli/library.sh: what one knows of hosts, and so of MTUs,
 * does not outlive its lock. Prints `ok WHAT` or `no WHAT: why`.
 *
 *   library_wider HOST      of IPv4 and IPv6, with no host by IPv6 yet
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tsw/object.h>

static void said(bool is, const char *what)
{
	if (is)
		printf("ok %s\n", what);
	else
		printf("no %s: %s\n", what, tsw_error());
}

static struct tsw *open_on(const char *host)
{
	const struct tsw_options options = {.netns = host};
	struct tsw *t;

	if (tsw_open(&options, &t)) {
		said(false, "opened");
		exit(1);
	}
	return t;
}

int main(int argc, char **argv)
{
	struct tsw_tenant_spec wide = TSW_TENANT_DEFAULTS;
	struct tsw_host_spec far = {.ip = {.preferred = TSW_IPV6}};
	struct tsw *t, *other;

	if (argc != 2)
		return 2;
	t = open_on(argv[1]);
	other = open_on(argv[1]);
	tsw_read_name("wide", &wide.name);
	wide.id = 900;
	wide.mtu = 1450;
	tsw_read_name("far", &far.name);
	tsw_read_addr("2001:db8::9", &far.ip.of[TSW_IPV6]);
	said(!tsw_tenant_add(t, &wide) && !tsw_tenant_del(t, "wide", false), "IPv4 leaves 1450");
	tsw_release(t);
	said(!tsw_host_add(other, &far), "a host by IPv6 comes, by another handle");
	tsw_release(other);
	said(tsw_tenant_add(t, &wide) == -ERANGE && strstr(tsw_error(), "1430"),
	     "the first knows that there are 1430 now");
	tsw_release(t);
	said(!tsw_host_del(other, "far"), "it goes");
	tsw_close(other);
	tsw_close(t);
	return fflush(stdout) ? 1 : 0;
}
