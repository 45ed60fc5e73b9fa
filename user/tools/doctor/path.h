/* SPDX-License-Identifier: GPL-2.0-only */
/* The way to other hosts and back: which encapsulations pass, and how long packets may be. */
#ifndef TSW_TOOLS_DOCTOR_PATH_H
#define TSW_TOOLS_DOCTOR_PATH_H

#include "agent/reach.h"
#include "record/hosts.h"
#include "store/tsw.h"

struct path {
	bool passes[TSW_ENCAPS]; /* short packets */
	bool whole[TSW_ENCAPS];	 /* packets of `fits`, too; not if that was tried BRIEF */
	__u64 took;		 /* ns, there and back; 0: no answer by any */
	__u32 mtu;		 /* the switch's own, for packets to the host; 0: not known */
	__u32 fits; /* the longest packet that came back, at most `mtu`; 0: even short ones not */
};

/* The first that passes, by which `fits` was found. */
enum tsw_encap path_encap(const struct path *p);

/*
 * Asks each host of ALL; NAME: that one alone, or "". PATHS has a place for each. BRIEF: of lengths
 * only the whole MTU is tried, and none beside an agent, which needs several rounds.
 */
int paths_find(const struct tsw *t, const struct hosts *all, const char *name, bool brief,
	       struct path *paths);

#endif
