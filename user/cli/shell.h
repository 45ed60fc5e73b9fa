/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for a shell to read. */
#ifndef TSW_SHELL_H
#define TSW_SHELL_H

#include <stddef.h>

/* As one word of a shell's: names may have any character that is no blank. */
void shell_word(const char *text, char *word, size_t len);

#endif
