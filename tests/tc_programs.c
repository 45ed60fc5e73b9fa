// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>

#include "packet.h"
#include "store/insns.h"
#include "tc_programs.h"

static int load(const struct bpf_insn *insns, size_t count)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "test", "GPL", insns, count, NULL);

	assert_true(fd >= 0);
	return fd;
}

int tc_recorder(int entries)
{
	const struct bpf_insn insns[] = {
		MAP_VALUE(7, entries),
		{},
		LOAD(2, 1, offsetof(struct __sk_buff, mark)),
		STORE(7, 0, 2),
		LOAD(2, 1, offsetof(struct __sk_buff, pkt_type)),
		STORE(7, 4, 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}

int tc_marker(void)
{
	const struct bpf_insn insns[] = {
		MOVE_IMM(2, PASS_UP),
		STORE(1, offsetof(struct __sk_buff, priority), 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}

int tc_stamper(void)
{
	const struct bpf_insn insns[] = {
		MOVE_IMM(2, SECRET),
		STORE(1, offsetof(struct __sk_buff, cb[0]), 2),
		MOVE_IMM(2, SECRET >> 32),
		STORE(1, offsetof(struct __sk_buff, cb[1]), 2),
		LOAD(2, 1, offsetof(struct __sk_buff, mark)),
		STORE(1, offsetof(struct __sk_buff, cb[2]), 2),
		LOAD(2, 1, offsetof(struct __sk_buff, ifindex)),
		STORE(1, offsetof(struct __sk_buff, cb[3]), 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}
