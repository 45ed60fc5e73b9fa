#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fills a store with a cluster's records as tsw writes them, by etcdctl's transactions:
store.py URL CLUSTER tenants FROM TO HOST EACH      tenants tFROM to tTO - 1, ids from 1000 on, each
                                                    with EACH endpoints on HOST, and their claims
store.py URL CLUSTER interest FROM TO HOST...       each of these has an endpoint of each tenant
etcd must take 10,000 operations in a transaction."""

import json
import os
import subprocess
import sys

ROOM = 4000  # operations in a transaction; etcd takes 1.5 MiB


class Store:
    def __init__(self, url, cluster):
        self.url, self.prefix, self.puts, self.octets = url, f"/tsw/1/{cluster}/", [], 0

    def put(self, key, value):
        text = json.dumps(value, separators=(",", ":"))
        self.puts.append(f"put {self.prefix}{key} {json.dumps(text)}")
        self.octets += len(text) + len(key) + 32
        if len(self.puts) >= ROOM or self.octets > 1000000:
            self.commit()

    def commit(self):
        if not self.puts:
            return
        text = "\n" + "\n".join(self.puts) + "\n\n\n"
        command = ["etcdctl", "--endpoints", self.url, "--command-timeout", "60s", "txn"]
        env = {**os.environ, "ETCDCTL_API": "3"}
        subprocess.run(command, input=text, text=True, check=True, env=env,
                       stdout=subprocess.DEVNULL)
        self.puts, self.octets = [], 0


def endpoint(store, tenant, number, host):
    name, a, b, c = f"e{number}", number >> 16 & 255, number >> 8 & 255, number & 255
    mac, ip = f"02:00:00:{a:02x}:{b:02x}:{c:02x}", f"10.{a}.{b}.{c}"
    store.put(f"e/{tenant}/{name}", {"name": name, "mac": mac, "ip": [ip], "host": host})
    for claim in f"ip/{tenant}/{ip}", f"mac/{tenant}/{mac}":
        store.put(claim, {"owner": name, "nonce": "0" * 32})
    store.put(f"at/{host}/{tenant}/{name}", {})


def tenants(store, first, end, host, each):
    pulse = {"by": "bench", "nonce": "0"}
    for number in range(first, end):
        name, tenant = f"t{number}", 1000 + number
        store.put(f"vni/{tenant}", {"owner": name, "nonce": "0" * 32})
        store.put(f"tenant/{name}", {"name": name, "id": tenant, "encap": "vxlan",
                                     "broadcast": True, "net": ["10.0.0.0/8"]})
        store.commit()
        for i in range(1, each + 1):
            endpoint(store, tenant, i, host)
        store.commit()
        store.put(f"e/{tenant}/", pulse)
    store.put("tenant/", pulse)
    store.commit()


def interest(store, first, end, hosts):
    for number in range(first, end):
        for host in hosts:
            store.put(f"at/{host}/{1000 + number}/own", {})
    store.commit()


def main():
    store, what = Store(sys.argv[1], sys.argv[2]), sys.argv[3]
    first, end = int(sys.argv[4]), int(sys.argv[5])
    if what == "tenants":
        tenants(store, first, end, sys.argv[6], int(sys.argv[7]))
    else:
        interest(store, first, end, sys.argv[6:])


if __name__ == "__main__":
    main()
