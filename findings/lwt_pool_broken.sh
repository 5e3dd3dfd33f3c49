#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: liblwt-ocaml-dev 5.6.1 (Debian 12; Lwt_pool), with OCaml 4.13.
# Expected: lwt_pool.mli says that `use` waits for an element only while the maximum number of elements is reached. When
#   a broken element is thrown away the pool is below its maximum, and who waits gets a new element.
# Really: nobody wakes who waits. The pool has no element, none is in use, and the waiter sleeps until somebody else
#   asks and is done. It happens in three ways: `check` says that the element of a failed use is broken; the
#   pool was emptied by `clear` while the element was in use; making the element fails while others wait for it.
# Seen: the lines at the end of this script. Control: a use that fails and whose element is still good.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian liblwt-ocaml-dev '5.6.1-*'
debian ocaml '4.13.1-*'
debian ocaml-findlib '1.9.6-*'

cat >"$tmp/pool.ml" <<'PROGRAM'
open Lwt.Infix

type ending = Broken | Good | Cleared | Not_made

let run title ending =
  print_endline title;
  let using = ref 0 and made = ref 0 and told, tell = Lwt.wait () in
  let make () =
    incr made;
    if ending = Not_made && !made = 1 then told >>= fun () -> Lwt.fail_with "no connection"
    else Lwt.return !made in
  let pool = Lwt_pool.create 1 ~check:(fun _ is_ok -> is_ok (ending <> Broken)) make in
  let caller name work =
    Lwt.catch
      (fun () ->
        Lwt_pool.use pool (fun n ->
            incr using;
            Printf.printf "%s has connection %d\n" name n;
            Lwt.finalize work (fun () -> decr using; Lwt.return_unit)))
      (fun _ -> Printf.printf "%s gets an error\n" name; Lwt.return_unit) in
  let a = caller "A" (fun () -> told >>= fun () ->
      if ending = Cleared then Lwt.return_unit else Lwt.fail_with "connection lost") in
  let b = caller "B" Lwt.return in
  (if ending = Cleared then Lwt_pool.clear pool else Lwt.return_unit) >>= fun () ->
  Lwt.wakeup tell ();
  a >>= fun () ->
  Lwt_unix.sleep 0.5 >>= fun () ->
  Printf.printf "0.5 s later in use: %d of 1, waiting: %d\n" !using (Lwt_pool.wait_queue_length pool);
  caller "C" Lwt.return >>= fun () ->
  b

let () =
  Lwt_main.run
    (run "the use of A fails, its connection is broken" Broken >>= fun () ->
     run "the pool is cleared while A uses its connection" Cleared >>= fun () ->
     run "the connection for A cannot be made" Not_made >>= fun () ->
     run "control: the use of A fails, its connection is good" Good)
PROGRAM
(cd "$tmp" && ocamlfind ocamlopt -thread -package lwt.unix -linkpkg -o pool pool.ml)

as_stated 'the use of A fails, its connection is broken
A has connection 1
A gets an error
0.5 s later in use: 0 of 1, waiting: 1
C has connection 2
B has connection 2
the pool is cleared while A uses its connection
A has connection 1
0.5 s later in use: 0 of 1, waiting: 1
C has connection 2
B has connection 2
the connection for A cannot be made
A gets an error
0.5 s later in use: 0 of 1, waiting: 1
C has connection 2
B has connection 2
control: the use of A fails, its connection is good
A has connection 1
A gets an error
B has connection 1
0.5 s later in use: 0 of 1, waiting: 0
C has connection 1' "$("$tmp/pool")"
