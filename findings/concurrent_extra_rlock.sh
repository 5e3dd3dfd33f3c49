#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libghc-concurrent-extra-dev 0.7.0.12 (Debian 12; Control.Concurrent.RLock), with GHC 9.0.2.
# Expected: the documentation of RLock.acquire says that one thread is woken by a release, that it gets the lock for
#   sure, and that those who wait are woken in the order in which they came.
# Really: all are woken, the last one first, and those who find it taken wait anew. Of five who wait the fifth is served
#   first, then the first one, the fourth, the second, the third: each round turns the order about. The third, in the
#   middle, waits for all others. Lock.acquire of the same package, with the same promise, keeps the order.
# Seen: the lines at the end of this script. Control: Lock. (An issue upstream, number 22, doubts the promise of RLock.)

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libghc-concurrent-extra-dev '0.7.0.12-*'
debian ghc '9.0.2-*'

cat >"$tmp/Order.hs" <<'PROGRAM'
import Control.Concurrent
import qualified Control.Concurrent.Lock as Lock
import qualified Control.Concurrent.RLock as RLock
import Control.Monad

-- Threads that come one by one while the lock is held, and the order in which they get it.
run :: String -> Int -> IO () -> IO () -> IO ()
run title count acquire release = do
    served <- newMVar []
    done <- newQSemN 0
    acquire
    forM_ [1 .. count] $ \name -> do
        _ <- forkIO $ do
            acquire
            modifyMVar_ served (return . (name :))
            threadDelay 100000
            release
            signalQSemN done 1
        threadDelay 200000
    release
    waitQSemN done count
    order <- readMVar served
    putStrLn (title ++ ": served " ++ unwords (map show (reverse order)))

main :: IO ()
main = do
    forM_ [2, 3, 5] $ \count -> do
        reentrant <- RLock.new
        run ("RLock, " ++ show count ++ " wait") count (RLock.acquire reentrant) (RLock.release reentrant)
    plain <- Lock.new
    run "control, Lock, 5 wait" 5 (Lock.acquire plain) (Lock.release plain)
PROGRAM
/usr/bin/ghc -v0 -outputdir "$tmp" -o "$tmp/order" "$tmp/Order.hs"

as_stated 'RLock, 2 wait: served 2 1
RLock, 3 wait: served 3 1 2
RLock, 5 wait: served 5 1 4 2 3
control, Lock, 5 wait: served 1 2 3 4 5' "$("$tmp/order")"
