// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "store/attach.h"
#include "store/early.h"
#include "store/insns.h"

/* At most an eighth of the files that may be open become early links, two for each device. */
#define SHARE 8
#define MOST 1024

#define LET_PASS (-1) /* TCX_NEXT */

static size_t most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return limit.rlim_cur / SHARE < MOST ? limit.rlim_cur / SHARE : MOST;
}

/* Loads the program under a name without tsw_, so no switch takes it for a switch's program. */
static int load(void)
{
	const struct bpf_insn insns[] = {MOVE_IMM(BPF_REG_0, LET_PASS), EXIT};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "early", "GPL", insns, 2, NULL);
}

void early_make(struct tsw *t, __u32 ifindex)
{
	struct early_link *all;

	if (t->config.attach != TSW_ATTACH_TCX || t->early.n >= most())
		return;
	all = realloc(t->early.all, (t->early.n + 1) * sizeof(*all));
	if (!all)
		return;
	t->early.all = all;
	if (!t->early.n)
		t->early.prog = load();
	if (t->early.prog < 0)
		return;
	all[t->early.n++] = (struct early_link){
		.ifindex = ifindex,
		.in = bpf_link_create(t->early.prog, (int)ifindex, TCX_INGRESS, NULL),
		.out = bpf_link_create(t->early.prog, (int)ifindex, TCX_EGRESS, NULL),
	};
}

static int take(int *fd)
{
	const int taken = *fd;

	*fd = -1;
	return taken;
}

int early_take(struct tsw *t, __u32 ifindex, enum bpf_attach_type type)
{
	size_t i;

	if (type != TCX_INGRESS && type != TCX_EGRESS)
		return -1;
	for (i = 0; i < t->early.n; i++)
		if (t->early.all[i].ifindex == ifindex)
			return take(type == TCX_INGRESS ? &t->early.all[i].in
							: &t->early.all[i].out);
	return -1;
}

void early_drop(struct tsw *t)
{
	size_t i;

	for (i = 0; i < t->early.n; i++) {
		if (t->early.all[i].in >= 0)
			close(t->early.all[i].in);
		if (t->early.all[i].out >= 0)
			close(t->early.all[i].out);
	}
	if (t->early.n)
		close(t->early.prog);
	free(t->early.all);
	t->early.all = NULL;
	t->early.n = 0;
}
