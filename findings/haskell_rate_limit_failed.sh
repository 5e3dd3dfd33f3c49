#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libghc-rate-limit-dev 1.4.2 (Debian 12; Control.RateLimit), with GHC 9.0.2.
# Expected: the documentation calls the result a function that hides all the rate limiting. So an error of the limited
#   action goes to its caller, and the next call runs.
# Really: with rateLimitExecution the error ends the thread that serves all callers. The caller is not told of it: it
#   waits for an answer that nobody can give any more, and so does each later one. Where nothing else runs the
#   runtime notices and raises "blocked indefinitely", else they sleep.
# Seen: the lines at the end of this script. Control: the action catches its own error and returns it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libghc-rate-limit-dev '1.4.2-*'
debian ghc '9.0.2-*'

cat >"$tmp/Failed.hs" <<'PROGRAM'
import Control.Exception
import Control.Monad
import Control.RateLimit
import Data.Time.Units (Millisecond)

work :: Int -> IO Int
work call = if call == 2 then throwIO (userError "refused") else return call

main :: IO ()
main = do
    putStrLn "the second call fails"
    limited <- rateLimitExecution (10 :: Millisecond) work
    forM_ [1 .. 4] $ \call -> tell call (limited call)
    putStrLn "control: it returns its error"
    careful <- rateLimitExecution (10 :: Millisecond) (try . work) :: IO (Int -> IO (Either IOException Int))
    forM_ [1 .. 4] $ \call -> tell call (careful call >>= either throwIO return)
  where
    tell call action = do
        answer <- try action
        putStrLn (show call ++ ": " ++ either (\e -> show (e :: SomeException)) show answer)
PROGRAM
/usr/bin/ghc -v0 -outputdir "$tmp" -o "$tmp/failed" "$tmp/Failed.hs"

as_stated 'the second call fails
1: 1
2: thread blocked indefinitely in an MVar operation
3: thread blocked indefinitely in an MVar operation
4: thread blocked indefinitely in an MVar operation
control: it returns its error
1: 1
2: user error (refused)
3: 3
4: 4' "$(timeout 50 "$tmp/failed" 2>/dev/null)"
