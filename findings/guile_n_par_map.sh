#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: guile-3.0 3.0.8 (Debian 12; ice-9 threads).
# Expected: the manual says that n-par-map calls its procedure in the same way as par-map, in at most n threads. An error of
#   a job ends the call, as in par-map and map; or else the other jobs are done.
# Really: each error is printed and ends one of the n threads, and the caller is not told. When as many jobs have failed as
#   there are threads nobody takes the rest: the call returns as if all were done, with an empty list for each result
#   that is missing. Of fewer failures the caller is not told either. n-par-for-each does the same.
# Seen: the lines at the end of this script. Controls: map, par-map; one failure of three threads.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian guile-3.0 '3.0.8-*'

cat >"$tmp/jobs.scm" <<'PROGRAM'
(use-modules (ice-9 threads) (srfi srfi-1))

(define lock (make-mutex))
(define done '())

;; The first jobs fail, the others are noted.
(define (worker failing)
  (lambda (job)
    (if (<= job failing)
        (error "The job failed:" job))
    (with-mutex lock (set! done (cons job done)))
    (* 10 job)))

(define (run title failing call)
  (set! done '())
  (let ((told (catch #t
                (lambda () (call (worker failing) (iota 8 1)))
                (lambda _ "an error"))))
    (format #t "~a: told ~a, done ~a\n" title told (if (null? done) "none" (sort done <)))))

(run "two of eight fail, two threads" 2 (lambda (proc jobs) (n-par-map 2 proc jobs)))
(run "two of eight fail, two threads, for-each" 2
     (lambda (proc jobs) (n-par-for-each 2 proc jobs) "nothing"))
(run "control, two of eight fail, three threads" 2 (lambda (proc jobs) (n-par-map 3 proc jobs)))
(run "control, none fails, two threads" 0 (lambda (proc jobs) (n-par-map 2 proc jobs)))
(run "control, two of eight fail, map" 2 map)
(run "control, eight of eight fail, par-map" 8 par-map)
PROGRAM

as_stated 'two of eight fail, two threads: told (() () () () () () () ()), done none
two of eight fail, two threads, for-each: told nothing, done none
control, two of eight fail, three threads: told (() () 30 40 50 60 70 80), done (3 4 5 6 7 8)
control, none fails, two threads: told (10 20 30 40 50 60 70 80), done (1 2 3 4 5 6 7 8)
control, two of eight fail, map: told an error, done none
control, eight of eight fail, par-map: told an error, done none' \
    "$(timeout 50 /usr/bin/guile-3.0 --no-auto-compile "$tmp/jobs.scm" 2>/dev/null)"
