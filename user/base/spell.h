/* SPDX-License-Identifier: GPL-2.0-only */
/* How what is one of a few is spelled, by its number; each list ends with NULL. */
#ifndef TSW_SPELL_H
#define TSW_SPELL_H

#include <tsw/object.h>

extern const char *const word_encaps[]; /* enum tsw_encap */
extern const char *const word_as_host[];
extern const char *const word_xdps[];	       /* XDP_* */
extern const char *const word_closed[];	       /* beside networks */
extern const char *const word_protos[];	       /* PROTO_* */
extern const char *const word_modes[];	       /* enum tsw_policy_mode */
extern const char *const word_actions[];       /* enum tsw_policy_action */
extern const char *const word_policy_protos[]; /* enum tsw_policy_proto */
extern const char *const word_who[];	       /* with a name, with a network, alone */
extern const char *const word_any[];	       /* as a port */
extern const char *const word_flips[];	       /* enum tsw_flip */
extern const char *const word_attaches[];      /* ATTACH_* */
extern const char *const word_encrypts[];      /* enum tsw_ask_encrypt */

#endif
