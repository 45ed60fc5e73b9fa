/* SPDX-License-Identifier: GPL-2.0-only */
/* The words for the values of enumerations, by number. Each list ends with NULL. */
#ifndef TSW_SPELL_H
#define TSW_SPELL_H

#include <tsw/object.h>

extern const char *const word_encaps[]; /* enum tsw_encap */
extern const char *const word_as_host[];
extern const char *const word_xdps[];	       /* XDP_* */
extern const char *const word_closed[];	       /* the words beside networks */
extern const char *const word_protos[];	       /* PROTO_* */
extern const char *const word_modes[];	       /* enum tsw_policy_mode */
extern const char *const word_actions[];       /* enum tsw_policy_action */
extern const char *const word_policy_protos[]; /* enum tsw_policy_proto */
extern const char *const word_who[];	       /* takes a name, takes a network, stands alone */
extern const char *const word_any[];	       /* as a port */
extern const char *const word_flips[];	       /* enum tsw_flip */
extern const char *const word_attaches[];      /* ATTACH_* */
extern const char *const word_encrypts[];      /* enum tsw_ask_encrypt */

#endif
