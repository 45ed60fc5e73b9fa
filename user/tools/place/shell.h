/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for a shell to read. */
#ifndef TSW_TOOLS_PLACE_SHELL_H
#define TSW_TOOLS_PLACE_SHELL_H

#include <stddef.h>

/* TEXT as one word for a shell. Names may have any character except blanks. */
void shell_word(const char *text, char *word, size_t len);

#endif
