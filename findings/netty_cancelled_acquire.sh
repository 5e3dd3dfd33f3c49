#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libnetty-java 4.1.48 (Debian 12; FixedChannelPool), with OpenJDK 17.
# Expected: acquire() returns a Future. When its cancel() says true the caller gets no channel, and when a channel
#   comes free it goes to the next who waits, or stays in the pool.
# Really: the pool does not look whether the waiter was cancelled. It takes the channel for it, fails to hand it over
#   (an exception, which goes to the log) and keeps it counted. Nobody has the channel, nobody can give it back: a pool
#   of 1 is used up for good, and whoever asks waits in vain.
# Seen: the lines at the end of this script. Controls: nobody cancels; the wait ends by the time-out of the pool.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libnetty-java '1:4.1.48-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Pool.java" <<'PROGRAM'
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.ChannelHealthChecker;
import io.netty.channel.pool.FixedChannelPool;
import io.netty.channel.pool.FixedChannelPool.AcquireTimeoutAction;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

public class Pool {
    @ChannelHandler.Sharable
    static class Nothing extends ChannelInboundHandlerAdapter {
    }

    enum Ending { CANCELLED, TIMED_OUT, SERVED }

    static String tell(Future<Channel> asked) throws InterruptedException {
        if (!asked.await(1, TimeUnit.SECONDS))
            return "waits";
        return asked.isSuccess() ? "has the channel" : asked.isCancelled() ? "is cancelled" : "is refused";
    }

    static void run(String title, Bootstrap bootstrap, Ending ending) throws Exception {
        System.out.println(title);
        FixedChannelPool pool = new FixedChannelPool(bootstrap, new AbstractChannelPoolHandler() {
            @Override
            public void channelCreated(Channel channel) {
                channel.pipeline().addLast(new Nothing());
            }
        }, ChannelHealthChecker.ACTIVE, AcquireTimeoutAction.FAIL, ending == Ending.TIMED_OUT ? 300 : 60000, 1, 10);
        Channel held = pool.acquire().sync().getNow();
        Future<Channel> waiter = pool.acquire();
        if (ending == Ending.CANCELLED)
            System.out.println("B waits, cancel() says " + waiter.cancel(true));
        else
            System.out.println("A has the channel, B " + tell(waiter));
        pool.release(held).await();
        System.out.println("A gives it back, B " + tell(waiter));
        if (waiter.isSuccess())
            pool.release(waiter.getNow()).await();
        Future<Channel> next = pool.acquire();
        System.out.println("C asks and " + tell(next) + ", taken: " + pool.acquiredChannelCount() + " of 1");
        pool.close();
    }

    public static void main(String[] arguments) throws Exception {
        DefaultEventLoopGroup group = new DefaultEventLoopGroup(1);
        LocalAddress address = new LocalAddress("server");
        new ServerBootstrap().group(group).channel(LocalServerChannel.class).childHandler(new Nothing())
            .bind(address).sync();
        Bootstrap bootstrap = new Bootstrap().group(group).channel(LocalChannel.class).remoteAddress(address);
        run("B is cancelled while it waits", bootstrap, Ending.CANCELLED);
        run("control: the time of B is over", bootstrap, Ending.TIMED_OUT);
        run("control: B waits on", bootstrap, Ending.SERVED);
        System.exit(0);
    }
}
PROGRAM
netty=$(printf '/usr/share/java/netty-%s.jar:' transport common buffer resolver)
javac -cp "$netty" -d "$tmp" "$tmp/Pool.java"
as_stated 'B is cancelled while it waits
B waits, cancel() says true
A gives it back, B is cancelled
C asks and waits, taken: 1 of 1
control: the time of B is over
A has the channel, B is refused
A gives it back, B is refused
C asks and has the channel, taken: 1 of 1
control: B waits on
A has the channel, B waits
A gives it back, B has the channel
C asks and has the channel, taken: 1 of 1' "$(java -cp "$netty$tmp" Pool 2>"$tmp/log")"
