#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: elpa-concurrent 0.5.1 (Debian 12; concurrent.el), Emacs 28.2.
# Expected: cc:dataflow-get gives a task that runs when the variable is bound; a variable is bound once. An environment may
#   have a parent whose values it has as well, and may override them.
# Really: a task that waits in the child is started when the parent binds the value, and stays in the child's list of those
#   that wait. When the child binds its own value the task runs a second time, with the other value; until then the
#   variable counts as one that is waited for.
# Seen: the lines at the end of this script. Controls: the task waits in the parent; the child binds first.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian elpa-concurrent '0.5.1-*'
debian elpa-deferred '0.5.1-*'
debian emacs-nox '1:28.2+*'

cat >"$tmp/dataflow.el" <<'PROGRAM'
;; -*- lexical-binding: t -*-
(require 'concurrent)

(defun settle () (dotimes (_ 20) (deferred:flush-queue!)))

;; Where the task waits, and who binds the value in which order.
(defun run (title where &rest order)
  (let* ((parent (cc:dataflow-environment))
         (child (cc:dataflow-environment parent))
         (environments (list (cons 'parent parent) (cons 'child child)))
         (runs nil) (waiting nil))
    (deferred:nextc (cc:dataflow-get (alist-get where environments) "job")
      (lambda (value) (push value runs)))
    (dolist (who order)
      (cc:dataflow-set (alist-get who environments) "job" (symbol-name who))
      (settle)
      (push (length (cc:dataflow-get-waiting-keys (alist-get where environments))) waiting))
    (princ (format "%s: the task runs %dx, with the value of %s; waited for after each binding: %s\n" title (length runs)
                   (mapconcat #'identity (reverse runs) " and ")
                   (mapconcat #'number-to-string (reverse waiting) " ")))))

(let ((inhibit-message t))
  (run "waits in the child, the parent binds, then the child" 'child 'parent 'child)
  (run "control, waits in the parent" 'parent 'parent 'child)
  (run "control, the child binds first" 'child 'child 'parent))
PROGRAM

source=/usr/share/emacs/site-lisp/elpa-src
as_stated 'waits in the child, the parent binds, then the child: the task runs 2x, with the value of parent and child; waited for after each binding: 1 0
control, waits in the parent: the task runs 1x, with the value of parent; waited for after each binding: 0 0
control, the child binds first: the task runs 1x, with the value of child; waited for after each binding: 0 0' \
    "$(HOME=$tmp timeout 50 /usr/bin/emacs -Q --batch -L $source/concurrent-0.5.1 -L $source/deferred-0.5.1 \
        -l "$tmp/dataflow.el" 2>/dev/null)"
