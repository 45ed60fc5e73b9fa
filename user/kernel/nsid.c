// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/nsid.h"

#define DIRECTORY "/run/netns"

static int take(const struct nlmsghdr *message, void *data)
{
	const struct attrs a = attrs_of(message, NLMSG_ALIGN(sizeof(struct rtgenmsg)));

	if (a.at[NETNSA_NSID])
		*(__s32 *)data = (__s32)attr_u32(a.at[NETNSA_NSID]);
	return MNL_CB_OK;
}

static int talk(int type, int fd, __s32 *nsid)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, type, NLM_F_ACK, NLMSG_ALIGN(sizeof(struct rtgenmsg)));

	mnl_attr_put_u32(request, NETNSA_FD, (__u32)fd);
	if (!nsid)
		mnl_attr_put_u32(request, NETNSA_NSID, (__u32)-1);
	return netlink_talk(request, nsid ? take : NULL, nsid);
}

int nsid_make(int fd)
{
	return talk(RTM_NEWNSID, fd, NULL);
}

int nsid_get(int fd, __s32 *nsid)
{
	int err;

	*nsid = -1;
	err = talk(RTM_GETNSID, fd, nsid);
	return err ?: *nsid < 0 ? -ENOENT : 0;
}

bool nsid_name(__s32 nsid, char name[NSID_NAME])
{
	DIR *dir = opendir(DIRECTORY);
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	__s32 its;
	int fd;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), DIRECTORY "/%s", entry->d_name);
		snprintf(name, NSID_NAME, "%s", entry->d_name);
		fd = netns_open(path);
		if (fd < 0)
			continue;
		found = !nsid_get(fd, &its) && its == nsid;
		close(fd);
	}
	if (dir)
		closedir(dir);
	return found;
}
