#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcommons-pool2-java 2.11.1 (Debian 12; GenericKeyedObjectPool), with OpenJDK 17.
# Expected: when the pool is below its total again a caller who waits gets an object, whatever its key.
# Really: invalidateObject() looks for waiters of its own key only: who waits for another key sleeps beside an empty pool,
#   newcomers of that key get in.
# Seen: the lines at the end of this script, with the pool's own counts. Controls: the object is returned; the waiter has the
#   same key.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcommons-pool2-java '2.11.1-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Keys.java" <<'PROGRAM'
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;

public class Keys {
    static class Factory extends BaseKeyedPooledObjectFactory<String, Object> {
        @Override
        public Object create(String key) { return new Object(); }

        @Override
        public PooledObject<Object> wrap(Object object) { return new DefaultPooledObject<>(object); }
    }

    static void run(String title, String waits, boolean broken) throws Exception {
        GenericKeyedObjectPool<String, Object> pool = new GenericKeyedObjectPool<>(new Factory());
        pool.setMaxTotal(1);
        Object held = pool.borrowObject("a");
        String[] seen = {"waits"};
        Thread waiter = new Thread(() -> {
            try {
                Object mine = pool.borrowObject(waits);
                seen[0] = "gets in";
                pool.returnObject(waits, mine);
            } catch (Exception error) {
                seen[0] = error.getMessage();
            }
        });
        waiter.setDaemon(true);
        waiter.start();
        while (pool.getNumWaiters() == 0)
            Thread.sleep(10);
        if (broken)
            pool.invalidateObject("a", held);
        else
            pool.returnObject("a", held);
        waiter.join(1000);
        System.out.println(title + ": B, who waits for " + waits + ", " + seen[0] + "; " + pool.getNumActive() + " of 1 in use, "
            + pool.getNumWaiters() + " waiting");
        if (seen[0].equals("waits")) {
            Object other = pool.borrowObject(waits, 1000);
            System.out.println(title + ": C, who comes later for " + waits + ", gets in; B " + seen[0]);
            pool.returnObject(waits, other);
        }
    }

    public static void main(String[] arguments) throws Exception {
        run("an object of a is invalidated", "b", true);
        run("control, it is returned", "b", false);
        run("control, the same key", "a", true);
        System.exit(0);
    }
}
PROGRAM

java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
as_stated 'an object of a is invalidated: B, who waits for b, waits; 0 of 1 in use, 1 waiting
an object of a is invalidated: C, who comes later for b, gets in; B waits
control, it is returned: B, who waits for b, gets in; 0 of 1 in use, 0 waiting
control, the same key: B, who waits for a, gets in; 0 of 1 in use, 0 waiting' "$("${java[0]}" -cp /usr/share/java/commons-pool2.jar "$tmp/Keys.java")"
