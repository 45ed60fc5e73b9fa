// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "tools/web/guard.h"

#define SCHEME "Bearer "
#define ORIGIN "http://"

int token_make(char text[TOKEN_LEN])
{
	unsigned char octets[TOKEN_OCTETS];
	size_t i;

	if (getrandom(octets, sizeof(octets), 0) != sizeof(octets))
		return fail(errno, "no random token: %s", strerror(errno));
	for (i = 0; i < sizeof(octets); i++)
		snprintf(text + 2 * i, 3, "%02x", octets[i]);
	return 0;
}

bool token_is_given(const char *authorization, const char *token)
{
	const size_t scheme = strlen(SCHEME), len = strlen(token);
	unsigned char differ = 0;
	size_t i;

	if (!authorization || strncmp(authorization, SCHEME, scheme) ||
	    strlen(authorization + scheme) != len)
		return false;
	for (i = 0; i < len; i++)
		differ |= (unsigned char)(authorization[scheme + i] ^ token[i]);
	return !differ;
}

bool host_is_own(const char *host)
{
	static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
	size_t i, len;

	for (i = 0; host && i < sizeof(own) / sizeof(own[0]); i++) {
		len = strlen(own[i]);
		if (!strncasecmp(host, own[i], len) &&
		    (!host[len] || (host[len] == ':' && host[len + 1] &&
				    !host[len + 1 + strspn(host + len + 1, "0123456789")])))
			return true;
	}
	return false;
}

bool origin_is_own(const char *origin, const char *host)
{
	return !origin || (!strncmp(origin, ORIGIN, strlen(ORIGIN)) &&
			   !strcasecmp(origin + strlen(ORIGIN), host));
}

bool peer_is_own(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (!peer.uid || peer.uid == geteuid());
}
