#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libcurator-recipes-java 5.4.0 with libzookeeper-java 3.8.0 (Debian 12), with Java 17.
# Expected: enter(maxWait) of DistributedDoubleBarrier says true once all members have entered, and false when the time
#   was over first. So who was told false is outside, and may ask again.
# Really: its node stays and counts. The last member to come is told true although it is alone, and works behind the
#   barrier without the others. Who gave up cannot ask again: its own node is in its way. Only leave(), which the class
#   has for those who have entered, or the end of the connection takes the node away.
# Seen: the lines at the end of this script. Controls: both are there in time; who gave up leaves before the next comes;
#   who gave up has closed its connection.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcurator-recipes-java '5.4.0-*'
debian libzookeeper-java '3.8.0-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Barriers.java" <<'PROGRAM'
import java.io.File;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

public class Barriers {
    private static String address;

    // A member with a connection of its own.
    private static class Member {
        final CuratorFramework client = CuratorFrameworkFactory.newClient(address, new RetryOneTime(100));
        final DistributedDoubleBarrier barrier;

        Member(String path, int members) {
            client.start();
            barrier = new DistributedDoubleBarrier(client, path, members);
        }

        String enter(int milliseconds) {
            try {
                return String.valueOf(barrier.enter(milliseconds, TimeUnit.MILLISECONDS));
            } catch (Exception error) {
                return error.getClass().getSimpleName();
            }
        }
    }

    // One after the other asks for the barrier of all, and waits for a second.
    private static void alone(String title, String path, int members, String afterwards) throws Exception {
        Member[] all = new Member[members];
        String seen = "";
        for (int index = 0; index < members; index++) {
            all[index] = new Member(path, members);
            seen += (index > 0 ? ", " : "") + all[index].enter(1000);
            if (afterwards.equals("leave") && index < members - 1)
                all[index].barrier.leave();
            if (afterwards.equals("close") && index < members - 1)
                all[index].client.close();
        }
        if (afterwards.equals("ask"))
            seen += "; the first one again: " + all[0].enter(1000);
        System.out.println(title + ", one after the other: " + seen);
        for (Member member : all)
            member.client.close();
    }

    public static void main(String[] arguments) throws Exception {
        File data = new File(arguments[0]);
        ZooKeeperServer server = new ZooKeeperServer(data, data, 2000);
        ServerCnxnFactory factory =
            ServerCnxnFactory.createFactory(new InetSocketAddress(arguments[1], 0), 60);
        factory.startup(server);
        address = arguments[1] + ":" + factory.getLocalPort();

        alone("a barrier for 2", "/two", 2, "ask");
        alone("a barrier for 3", "/three", 3, "ask");
        alone("control, who gave up leaves", "/leave", 2, "leave");
        alone("control, who gave up closes", "/close", 2, "close");
        Member one = new Member("/together", 2), other = new Member("/together", 2);
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> one.enter(20000));
        String second = other.enter(20000);
        System.out.println("control, a barrier for 2, both at once: " + first.get() + ", " + second);
        one.client.close();
        other.client.close();
        factory.shutdown();
        server.shutdown();
    }
}
PROGRAM

jars=$(printf '/usr/share/java/%s.jar:' curator-recipes curator-framework curator-client zookeeper zookeeper-jute \
    slf4j-api slf4j-nop guava failureaccess metrics-core snappy-java netty-all)
java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
"${java[0]}c" -cp "$jars" -d "$tmp" "$tmp/Barriers.java"
mkdir "$tmp/data"
as_stated 'a barrier for 2, one after the other: false, true; the first one again: NodeExistsException
a barrier for 3, one after the other: false, false, true; the first one again: NodeExistsException
control, who gave up leaves, one after the other: false, false
control, who gave up closes, one after the other: false, false
control, a barrier for 2, both at once: true, true' \
    "$("${java[0]}" -cp "$jars$tmp" Barriers "$tmp/data" "$(loopback)" 2>&1)"
