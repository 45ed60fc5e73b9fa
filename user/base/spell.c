// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "base/spell.h"

const char *const word_encaps[] = {"vxlan", "gre", "geneve", NULL};
const char *const word_as_host[] = {"host", NULL};
const char *const word_xdps[] = {"auto", "native", "generic", "off", NULL};
const char *const word_protos[] = {"tcp", "udp", NULL};
const char *const word_closed[] = {"default", "none", NULL};
const char *const word_modes[] = {"off", "audit", "on", NULL};
const char *const word_actions[] = {"allow", "deny", NULL};
const char *const word_who[] = {"group", "cidr", "any", NULL};
const char *const word_any[] = {"any", NULL};
const char *const word_policy_protos[] = {"any", "tcp", "udp", "icmp", "sctp", NULL};
const char *const word_flips[] = {"none", "silent", "uplink", "hold", NULL};
const char *const word_encrypts[] = {"off", "wireguard", "wireguard,mixed", NULL};
const char *const word_attaches[] = {"auto", "tcx", "clsact", NULL};
