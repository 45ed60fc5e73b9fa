/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_ARRANGE_H
#define TSW_ARRANGE_H

/*
 * Moves options among the words of a command, and behind them, to the front of ARGV. A word that is
 * the value of a key, and all words behind `--`, are no options. Refuses an option whose value is
 * missing, and leaves ARGV alone then.
 */
int arrange_options(int argc, char **argv);

#endif
