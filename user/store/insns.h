/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros for BPF instructions, for small programs that are written within C code. */
#ifndef TSW_INSNS_H
#define TSW_INSNS_H

#include <linux/bpf.h>

#define INSN(code_, dst, src, off_, imm_)    \
	((struct bpf_insn){.code = (code_),  \
			   .dst_reg = (dst), \
			   .src_reg = (src), \
			   .off = (off_),    \
			   .imm = (__s32)(imm_)})
#define MOVE_REG(to, from) INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define MOVE_IMM(to, imm) INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, imm)
#define ADD_IMM(to, imm) INSN(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, imm)
#define LOAD(to, from, off) INSN(BPF_LDX | BPF_MEM | BPF_W, to, from, off, 0)
#define STORE(to, off, from) INSN(BPF_STX | BPF_MEM | BPF_W, to, from, off, 0)
#define STORE_IMM(to, off, imm) INSN(BPF_ST | BPF_MEM | BPF_W, to, 0, off, imm)
#define LOAD_LONG(to, from, off) INSN(BPF_LDX | BPF_MEM | BPF_DW, to, from, off, 0)
#define STORE_LONG_IMM(to, off, imm) INSN(BPF_ST | BPF_MEM | BPF_DW, to, 0, off, imm)
#define ATOMIC_ADD_LONG(to, off, from) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, to, from, off, BPF_ADD)
#define IF_NULL(reg, skip) INSN(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, skip, 0)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define MAP_VALUE(to, map) INSN(BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_VALUE, 0, map)
#define MAP(to, map) INSN(BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, map)
#define UPPER INSN(0, 0, 0, 0, 0) /* second half of MAP_VALUE and MAP */
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#endif
