/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may ask. */
#ifndef TSW_TOOLS_WEB_GUARD_H
#define TSW_TOOLS_WEB_GUARD_H

#include <stdbool.h>

enum { TOKEN_OCTETS = 32, TOKEN_LEN = 2 * TOKEN_OCTETS + 1 };

int token_make(char text[TOKEN_LEN]);

/* Whether the header Authorization has this token. Takes equally long for all wrong ones. */
bool token_is_given(const char *authorization, const char *token);

/*
 * Whether the header Host names this machine. A foreign page can give its own name this machine's
 * address (DNS rebinding), but the browser then sends that name. Any port: ssh may forward it.
 */
bool host_is_own(const char *host);

/* Whether the header Origin, which may be NULL, is that of the page itself. */
bool origin_is_own(const char *origin, const char *host);

/* Whether the peer of a unix socket is root, or the user who runs the command. */
bool peer_is_own(int fd);

#endif
