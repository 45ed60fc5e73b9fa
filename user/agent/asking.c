// SPDX-License-Identifier: GPL-2.0-only
#include "agent/asking.h"

enum {
	LOST_MOST = 3, /* unanswered questions until a ranked host counts as silent */
	LOST_EACH = 2, /* until another encapsulation is tried */
	UNHEARD_MS = 5000,
};

void asking_begin(struct asking *a)
{
	a->ranked = a->geneve = false;
}

/*
 * By VXLAN, also for Geneve, because an older host answers no Geneve; by GRE only if all tenants
 * with this host use it.
 */
void asking_rank(struct asking *a, enum tsw_encap encap)
{
	if (!a->ranked || encap != TSW_ENCAP_GRE)
		a->first = encap == TSW_ENCAP_GRE ? TSW_ENCAP_GRE : TSW_ENCAP_VXLAN;
	a->geneve |= encap == TSW_ENCAP_GENEVE;
	a->ranked = true;
}

void asking_end(struct asking *a)
{
	a->by_geneve &= a->geneve;
	if (a->ranked)
		a->encap = a->by_geneve ? TSW_ENCAP_GENEVE : a->first;
}

/* The network may let only one of them pass. A ranked host that answers keeps its own. */
static void try_other(struct asking *a, enum life life)
{
	if (!a->ranked)
		a->encap = (a->encap + 1) % TSW_ENCAPS;
	else if (life == LIFE_UNKNOWN || life == LIFE_SILENT)
		a->by_geneve = !a->by_geneve;
	asking_end(a);
}

/*
 * How many answers must be missing. A host that is not ranked is asked by each encapsulation first.
 * A ranked one that has not answered yet gets more time: all may have started together.
 */
static __u32 most_lost(const struct asking *a, enum life life, __u32 ms)
{
	const __u32 unheard = life == LIFE_UNKNOWN ? UNHEARD_MS / ms : 0;

	if (!a->ranked)
		return LOST_EACH * TSW_ENCAPS;
	return unheard > LOST_MOST ? unheard : LOST_MOST;
}

bool asking_missed(struct asking *a, enum life life, __u32 ms)
{
	if (!(++a->lost % LOST_EACH))
		try_other(a, life);
	return life != LIFE_SILENT && a->lost >= most_lost(a, life, ms);
}
