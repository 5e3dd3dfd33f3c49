#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libgnustep-base-dev 1.28 (Debian 12; NSOperationQueue), gobjc 12.2.
# Expected: a queue of at most 4 operations runs up to 4 at a time. An operation that is ready starts while fewer run.
# Really: a thread is added when one operation is already waiting for a thread as another one comes. Who adds a second
#   operation while the first one runs does not get it started: it waits until the first one has ended, or until a third
#   one is added. A first one that waits for what the second one brings waits in vain.
# Seen: the lines at the end of this script: A waits up to 5 s for a flag that B sets. Controls: C is added as well; B is
#   in a queue of its own.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libgnustep-base-dev '1.28.*'
debian gobjc '4:12.2.*'

cat >"$tmp/queue.m" <<'PROGRAM'
#import <Foundation/Foundation.h>
#include <stdio.h>

static NSConditionLock *flag;

@interface SetsFlag : NSOperation
@end
@implementation SetsFlag
- (void) main
{
  [flag lock];
  [flag unlockWithCondition: 1];
}
@end

@interface AwaitsFlag : NSOperation
{
  @public BOOL told;
}
@end
@implementation AwaitsFlag
- (void) main
{
  told = [flag lockWhenCondition: 1 beforeDate: [NSDate dateWithTimeIntervalSinceNow: 5]];
  if (told)
    {
      [flag unlock];
    }
}
@end

static void run(const char *title, BOOL apart, BOOL third)
{
  NSOperationQueue *queue = [NSOperationQueue new], *other = apart ? [NSOperationQueue new] : queue;
  AwaitsFlag *a = [AwaitsFlag new];
  SetsFlag *b = [SetsFlag new];
  NSUInteger begun;

  flag = [[NSConditionLock alloc] initWithCondition: 0];
  [queue setMaxConcurrentOperationCount: 4];
  [queue addOperation: a];
  for (begun = 0; begun < 3000 && NO == [a isExecuting]; begun++)
    {
      [NSThread sleepForTimeInterval: 0.01];
    }
  [NSThread sleepForTimeInterval: 0.5];
  [other addOperation: b];
  if (third)
    {
      [queue addOperation: [[NSOperation new] autorelease]];
    }
  [queue waitUntilAllOperationsAreFinished];
  [other waitUntilAllOperationsAreFinished];
  printf("%s: A of at most %d %s\n", title, (int)[queue maxConcurrentOperationCount],
         a->told ? "is told by B" : "waits in vain, B starts after it");
}

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];

  run("A, then B", NO, NO);
  run("control, A, then B and C", NO, YES);
  run("control, B in another queue", YES, NO);
  [pool release];
  return 0;
}
PROGRAM

flags=(-D_NATIVE_OBJC_EXCEPTIONS -fobjc-exceptions -fconstant-string-class=NSConstantString -DGNUSTEP -DGNUSTEP_BASE_LIBRARY=1
       -pthread -w)
gcc -I/usr/include/GNUstep "${flags[@]}" "$tmp/queue.m" -o "$tmp/queue" -lgnustep-base -lobjc
as_stated 'A, then B: A of at most 4 waits in vain, B starts after it
control, A, then B and C: A of at most 4 is told by B
control, B in another queue: A of at most 4 is told by B' "$(HOME=$tmp "$tmp/queue" 2>"$tmp/log")"
