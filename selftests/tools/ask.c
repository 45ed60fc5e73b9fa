// SPDX-License-Identifier: GPL-2.0-only
/* ask NAME: its addresses, and the name that the first one leads back to, as the C library says. */
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

static const char *name_of(const struct addrinfo *at, int flags)
{
	static char text[NI_MAXHOST];
	int err = getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof(text), NULL, 0, flags);

	return err ? gai_strerror(err) : text;
}

int main(int argc, char **argv)
{
	const struct addrinfo want = {.ai_socktype = SOCK_DGRAM};
	struct addrinfo *all, *at;
	int err = argc == 2 ? getaddrinfo(argv[1], NULL, &want, &all) : EAI_NONAME;

	if (err)
		return puts(gai_strerror(err)) < 0;
	for (at = all; at; at = at->ai_next)
		printf("%s ", name_of(at, NI_NUMERICHOST));
	puts(name_of(all, NI_NAMEREQD));
	freeaddrinfo(all);
	return 0;
}
