// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/boot.h"

/* RFC 2132 section 9.4 and 9.5, RFC 5970 section 3.1. */
enum { DHCP_SERVER_NAME = 66, DHCP_BOOT_FILE = 67, DHCP6_BOOT_URL = 59, DHCP6_HEAD = 4 };

static __u32 add_option(__u8 *at, __u8 code, const char *text)
{
	const size_t len = strlen(text);

	at[0] = code;
	at[1] = (__u8)len;
	memcpy(at + 2, text, len);
	return (__u32)(2 + len);
}

/* Whether the character stands for itself in the path of a URL: RFC 3986 section 3.3. */
static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || strchr("-._~!$&'()*+,;=:@/", c);
}

/* Writes the file's URL, or as much as fits. Returns its whole length. */
static size_t make_url(const struct tsw_addr *server, const char *file, char *url, size_t size)
{
	const bool whole = strstr(file, "://");
	size_t len = 0;

	if (!whole)
		len = (size_t)snprintf(url, size, "tftp://[%s]/", addr_text(server));
	for (; *file; file++)
		len += (size_t)snprintf(len < size ? url + len : NULL, len < size ? size - len : 0,
					whole || is_plain(*file) ? "%c" : "%%%02X", *file);
	return len;
}

/* False: the URL has no room. */
static bool make(const struct tsw_tenant_spec *spec, struct tsw_boot *boot)
{
	const struct tsw_addr *server = spec->boot_server.of;
	__u8 *option = boot->option[TSW_IPV4];
	char url[TSW_BOOT_OPTION - DHCP6_HEAD + 1];
	size_t len;

	*boot = (struct tsw_boot){};
	memcpy(boot->server, server, sizeof(boot->server));
	memcpy(boot->file, spec->boot_file.text, sizeof(boot->file));
	if (!addr_is_none(&server[TSW_IPV4])) {
		len = add_option(option, DHCP_SERVER_NAME, addr_text(&server[TSW_IPV4]));
		len += add_option(option + len, DHCP_BOOT_FILE, boot->file);
		boot->len[TSW_IPV4] = (__u32)len;
	}
	if (addr_is_none(&server[TSW_IPV6]))
		return true;
	len = make_url(&server[TSW_IPV6], boot->file, url, sizeof(url));
	if (len >= sizeof(url))
		return false;
	option = boot->option[TSW_IPV6];
	option[1] = DHCP6_BOOT_URL;
	option[3] = (__u8)len;
	memcpy(option + DHCP6_HEAD, url, len);
	boot->len[TSW_IPV6] = (__u32)(DHCP6_HEAD + len);
	return true;
}

static bool has_server(const struct tsw_tenant_spec *spec)
{
	return !addr_is_none(&spec->boot_server.of[TSW_IPV4]) ||
	       !addr_is_none(&spec->boot_server.of[TSW_IPV6]);
}

int boot_check(const struct tsw_tenant_spec *spec)
{
	const char *file = spec->boot_file.text;
	struct tsw_boot boot;
	const struct tsw_addr *of = spec->boot_server.of;

	if (has_server(spec) && !*file)
		return fail(EINVAL, "boot-server %s needs a boot-file: give both, or none for both",
			    addr_text(&of[addr_is_none(&of[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4]));
	if (!has_server(spec) && *file)
		return fail(EINVAL, "boot-file %s needs a boot-server: give both, or none for both",
			    quoted(file));
	if (!make(spec, &boot))
		return fail(EINVAL, "boot-file %s is too long for the URL that DHCPv6 gives",
			    quoted(file));
	return 0;
}

int boot_load(const struct tsw *t, struct tsw_tenant_spec *spec)
{
	struct tsw_boot boot;
	int err = map_get_or_zero(&t->maps, MAP_BOOT, &spec->id, &boot);

	memcpy(spec->boot_server.of, boot.server, sizeof(boot.server));
	memcpy(spec->boot_file.text, boot.file, sizeof(boot.file));
	return err;
}

int boot_put(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_boot boot;

	return make(spec, &boot) ? map_store(&t->maps, MAP_BOOT, &spec->id, &boot) : -EINVAL;
}
