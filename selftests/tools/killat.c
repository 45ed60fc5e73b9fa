// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kills a command on the way into its Nth system call that can change kernel state.
 *
 *     killat N COMMAND [WORD]...
 *
 * Where that one only reads, or makes what nobody else can see yet, the next one that does more is
 * taken instead: all that a kill leaves is the same. Prints which one it was; what the command
 * prints goes to stderr. Exit status 0: it was killed there; 3: it ended before; 2: it could not be
 * begun.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define NETLINK_MAX 65536 /* octets of a message that are looked at */
#define NFT(message) (NFNL_SUBSYS_NFTABLES << 8 | (message))
#define CT_GET (NFNL_SUBSYS_CTNETLINK << 8 | 1) /* IPCTNL_MSG_CT_GET */
#define ENDED_BEFORE 3
#define NOT_BEGUN 127 /* as a shell says it */

static const int calls[] = {
	SYS_bpf,      SYS_sendto, SYS_sendmsg, SYS_write,  SYS_mkdirat, SYS_unlinkat, SYS_renameat2,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_mkdir /* older architectures have these, too */
	SYS_mkdir,    SYS_rmdir,  SYS_unlink,  SYS_rename,
#endif
};

/* Lookups, and a map, a program, its types: others see those when they are pinned or attached. */
static const int bpf_harmless[] = {
	BPF_MAP_LOOKUP_ELEM,  BPF_MAP_GET_NEXT_KEY,  BPF_OBJ_GET,	   BPF_PROG_GET_NEXT_ID,
	BPF_MAP_GET_NEXT_ID,  BPF_PROG_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
	BPF_PROG_QUERY,	      BPF_BTF_GET_FD_BY_ID,  BPF_TASK_FD_QUERY,	   BPF_BTF_GET_NEXT_ID,
	BPF_MAP_LOOKUP_BATCH, BPF_LINK_GET_FD_BY_ID, BPF_LINK_GET_NEXT_ID, BPF_MAP_CREATE,
	BPF_PROG_LOAD,	      BPF_BTF_LOAD,	     BPF_PROG_BIND_MAP,
};

/* clang-format off */
static const int netlink_reads[] = {
	RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE, RTM_GETNEIGH, RTM_GETRULE, RTM_GETQDISC,
	RTM_GETTCLASS, RTM_GETTFILTER, RTM_GETCHAIN,
	NFT(NFT_MSG_GETTABLE), NFT(NFT_MSG_GETCHAIN), NFT(NFT_MSG_GETRULE), NFT(NFT_MSG_GETSET),
	NFT(NFT_MSG_GETSETELEM), NFT(NFT_MSG_GETGEN), NFT(NFT_MSG_GETOBJ),
	NFT(NFT_MSG_GETFLOWTABLE), CT_GET,
};
/* clang-format on */

static bool among(const int *list, size_t count, int wanted)
{
	while (count--)
		if (list[count] == wanted)
			return true;
	return false;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

static size_t memory(pid_t pid, __u64 address, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
	ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	if (got < 0)
		die("killat: process_vm_readv");
	return got;
}

/* Do all of these netlink messages only ask? */
static bool only_asks(pid_t pid, __u64 address, size_t size)
{
	static char messages[NETLINK_MAX];
	struct nlmsghdr *nh = (struct nlmsghdr *)messages;
	int left;

	if (size > sizeof(messages))
		return false;
	left = memory(pid, address, messages, size);
	for (; left > 0; nh = NLMSG_NEXT(nh, left))
		if (!NLMSG_OK(nh, (unsigned int)left) ||
		    !among(netlink_reads, COUNT(netlink_reads), nh->nlmsg_type))
			return false;
	return true;
}

/* Whether this call can change what others see. */
static bool changes(pid_t pid, const struct __ptrace_syscall_info *info)
{
	const __u64 *args = (const __u64 *)info->seccomp.args;
	struct msghdr message;
	struct iovec part;

	switch (info->seccomp.nr) {
	case SYS_bpf:
		return !among(bpf_harmless, COUNT(bpf_harmless), (int)args[0]);
	case SYS_sendto:
		return !only_asks(pid, args[1], args[2]);
	case SYS_sendmsg:
		memory(pid, args[1], &message, sizeof(message));
		if (message.msg_iovlen != 1)
			return true;
		memory(pid, (uintptr_t)message.msg_iov, &part, sizeof(part));
		return !only_asks(pid, (uintptr_t)part.iov_base, part.iov_len);
	}
	return true;
}

/*
 * Only at these calls does the kernel stop it: all else runs at full speed. A thread or child of
 * its own would not be traced, and get ENOSYS; tsw has none.
 */
static void stop_at_calls(void)
{
	struct sock_filter code[COUNT(calls) + 3];
	struct sock_fprog filter = {COUNT(code), code};
	size_t n = 0, i;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (i = 0; i < COUNT(calls); i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
							 COUNT(calls) - i, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
		die("killat: seccomp");
}

static pid_t begin(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		die("killat: fork");
	if (pid)
		return pid;
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP))
		die("killat: ptrace");
	stop_at_calls();
	execvp(command[0], command);
	perror(command[0]);
	_exit(NOT_BEGUN);
}

/* The signal to go on with. */
static int passed_on(int status)
{
	int signal = WSTOPSIG(status);

	return status >> 16 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

int main(int argc, char **argv)
{
	struct __ptrace_syscall_info info;
	long wanted = argc > 2 ? atol(argv[1]) : 0, seen = 0;
	int status;
	pid_t pid;

	if (wanted < 1) {
		fprintf(stderr, "usage: killat N COMMAND [WORD]...\n");
		return 2;
	}
	pid = begin(argv + 2);
	if (waitpid(pid, &status, 0) != pid ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL))
		die("killat: ptrace");
	for (;;) {
		if (ptrace(PTRACE_CONT, pid, 0, passed_on(status)) ||
		    waitpid(pid, &status, 0) != pid)
			die("killat: ptrace");
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) && WEXITSTATUS(status) == NOT_BEGUN ? 2
										     : ENDED_BEFORE;
		if (status >> 16 != PTRACE_EVENT_SECCOMP)
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
			die("killat: ptrace");
		if (++seen >= wanted && changes(pid, &info))
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("%ld\n", seen);
	return 0;
}
