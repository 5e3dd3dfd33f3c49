#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: liblwt-ocaml-dev 5.6.1 (Debian 12; Lwt_pool), with OCaml 4.13.
# Expected: lwt_pool.mli says that `create n` makes a pool with at most n elements, and that one whose validation
#   says false is disposed of and replaced. So a pool of 1 never lends two at once, whatever validation says.
# Really: if validation fails with an exception while somebody waits, the pool disposes of the element, counts one
#   less, makes another for who waits and does not count it. From then on a pool of 1 lends two at once, and one more
#   after each such failure. A validation that asks its database fails in this way when the connection is lost.
# Seen: the lines at the end of this script. Controls: validation says false; it fails and nobody waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian liblwt-ocaml-dev '5.6.1-*'
debian ocaml '4.13.1-*'
debian ocaml-findlib '1.9.6-*'

cat >"$tmp/pool.ml" <<'PROGRAM'
open Lwt.Infix

let run title answer somebody_waits =
  print_endline title;
  let holding = ref 0 and made = ref 0 and answers = ref [] in
  let validate _ =
    match !answers with
    | [] -> Lwt.return_true
    | first :: rest -> answers := rest; first () in
  let dispose n = Printf.printf "connection %d is closed\n" n; Lwt.return_unit in
  let pool = Lwt_pool.create 1 ~validate ~dispose (fun () -> incr made; Lwt.return !made) in
  (* Holds one until it is told to give it back. *)
  let caller name =
    let told, tell = Lwt.wait () in
    let ended =
      Lwt.catch
        (fun () ->
          Lwt_pool.use pool (fun n ->
              incr holding;
              Printf.printf "%s has connection %d, lent: %d of 1\n" name n !holding;
              told >|= fun () -> decr holding))
        (fun _ -> Printf.printf "%s gets an error\n" name; Lwt.return_unit) in
    (fun () -> (try Lwt.wakeup tell () with Invalid_argument _ -> ()); ended) in
  let a = caller "A" in
  let b = if somebody_waits then Some (caller "B") else None in
  let c = if somebody_waits then Some (caller "C") else None in
  answers := [answer];
  a () >>= fun () ->
  Lwt.pause () >>= fun () ->
  (* Without waiters the next to ask meets the validation. *)
  let b = match b with Some b -> b | None -> caller "B" in
  let c = match c with Some c -> c | None -> caller "C" in
  let d = caller "D" in
  Printf.printf "D has asked, lent: %d of 1\n" !holding;
  Lwt_list.iter_s (fun finish -> finish ()) [b; c; d]

let () =
  Lwt_main.run
    (run "validation fails while another waits" (fun () -> Lwt.fail_with "connection lost") true >>= fun () ->
     run "control: validation says false" (fun () -> Lwt.return_false) true >>= fun () ->
     run "control: validation fails and nobody waits" (fun () -> Lwt.fail_with "connection lost") false)
PROGRAM
(cd "$tmp" && ocamlfind ocamlopt -thread -package lwt.unix -linkpkg -o pool pool.ml)

as_stated 'validation fails while another waits
A has connection 1, lent: 1 of 1
connection 1 is closed
B gets an error
C has connection 2, lent: 1 of 1
D has connection 3, lent: 2 of 1
D has asked, lent: 2 of 1
control: validation says false
A has connection 1, lent: 1 of 1
connection 1 is closed
B has connection 2, lent: 1 of 1
D has asked, lent: 1 of 1
C has connection 2, lent: 1 of 1
D has connection 2, lent: 1 of 1
control: validation fails and nobody waits
A has connection 1, lent: 1 of 1
connection 1 is closed
B gets an error
C has connection 2, lent: 1 of 1
D has asked, lent: 1 of 1
D has connection 2, lent: 1 of 1' "$("$tmp/pool")"
