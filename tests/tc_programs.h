/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of the tests' own, at tc beside the switch's. Each gives a descriptor. */
#ifndef TSW_TESTS_TC_PROGRAMS_H
#define TSW_TESTS_TC_PROGRAMS_H

/* Notes mark and packet type of a frame in the map's only entry, of two words. */
int tc_recorder(int entries);
/* In place of tsw_from_wire, for frames that it would leave to the kernel. */
int tc_marker(void);
/* Ahead of tsw_fast_gateway: the frame is one that the programs themselves send there. */
int tc_stamper(void);

#endif
