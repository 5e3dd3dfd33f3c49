#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libghc-rate-limit-dev 1.4.2 (Debian 12; Control.RateLimit), with GHC 9.0.2.
# Expected: the documentation of PerInvocation and PerExecution says that the action is run once per time unit. After a
#   rest one call runs, the second one a time unit later.
# Really: all time that nobody asked in is saved up, without a bound. After a rest of five time units five calls run at
#   once, after a night thousands. The comment in the source speaks of time overslept. The very first call, with
#   nothing before it, waits for two time units.
# Seen: the lines at the end of this script. Control: a rest of little more than one time unit.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libghc-rate-limit-dev '1.4.2-*'
debian ghc '9.0.2-*'

cat >"$tmp/Rested.hs" <<'PROGRAM'
import Control.Concurrent
import Control.Monad
import Control.RateLimit
import Data.Time.Clock
import Data.Time.Units (Second)

unit :: Second
unit = 2

-- How many of eight calls are answered long before a time unit is over.
atOnce :: (Int -> IO Int) -> IO Int
atOnce limited = do
    began <- getCurrentTime
    answers <- newMVar 0
    forM_ [1 .. 8] $ \call -> forkIO $ do
        _ <- limited call
        now <- getCurrentTime
        when (diffUTCTime now began < 0.8) $ modifyMVar_ answers (return . (+ 1))
    threadDelay 1400000
    readMVar answers

type Limit = Second -> (Int -> IO Int) -> IO (Int -> IO Int)

-- The rest is in hundredths of a time unit.
rested :: String -> Limit -> Int -> IO String
rested title limit rest = do
    limited <- limit unit return
    _ <- limited 0
    threadDelay (rest * 20000)
    count <- atOnce limited
    return (title ++ ": of 8 calls at once " ++ show count)

new :: String -> Limit -> IO String
new title limit = do
    count <- limit unit return >>= atOnce
    return (title ++ ": of 8 calls at once " ++ show count)

-- All cases at the same time, each with a limiter of its own.
main :: IO ()
main = do
    lines_ <- forM cases $ \one -> do
        line <- newEmptyMVar
        _ <- forkIO (one >>= putMVar line)
        return line
    mapM_ (takeMVar >=> putStrLn) lines_
  where
    cases =
        [ rested "invocations, after a rest of 5.25 time units" rateLimitInvocation 525
        , rested "executions, after a rest of 5.25 time units" rateLimitExecution 525
        , new "a new limiter" rateLimitInvocation
        , rested "control, invocations, after a rest of 1.1" rateLimitInvocation 110
        , rested "control, executions, after a rest of 1.1" rateLimitExecution 110
        ]
PROGRAM
/usr/bin/ghc -v0 -outputdir "$tmp" -o "$tmp/rested" "$tmp/Rested.hs"

as_stated 'invocations, after a rest of 5.25 time units: of 8 calls at once 5
executions, after a rest of 5.25 time units: of 8 calls at once 5
a new limiter: of 8 calls at once 0
control, invocations, after a rest of 1.1: of 8 calls at once 1
control, executions, after a rest of 1.1: of 8 calls at once 1' "$("$tmp/rested")"
