#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libpoe-component-jobqueue-perl 0.5710 (Debian 12; POE::Component::JobQueue), on POE.
# Expected: the manual says that a prioritizer compares two jobs as sort does, lower ones first, and that its first
#   argument is always the new job. So with $_[0][0] <=> $_[1][0] on the jobs' first value the urgent job is next.
# Really: the first argument is the job in the queue and the second one the new job. The one in the queue has its
#   postback in front of its values, the new one does not. So the number of a job is compared with the address of the
#   other one's postback, which is always greater: the prioritizer does nothing, without an error, and urgent jobs
#   wait behind all others. (Jobs without a postback have an undef there: Perl warns, and the latest one is next.)
# Seen: the lines at the end of this script. Controls: no prioritizer; one that knows which is which.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libpoe-component-jobqueue-perl '0.5710-*'

cat >"$tmp/queue.pl" <<'PROGRAM'
use strict;
use warnings;
use POE;
use POE::Component::JobQueue;

# Works on one job after the other.
sub work {
    my ($done, $priority, $name) = @_;
    POE::Session->create(inline_states => {
        _start => sub { $_[KERNEL]->delay(over => 0.02) },
        over => sub { $done->($name) },
        _stop => sub { },
    });
}

sub run {
    my ($title, @passive) = @_;
    my @jobs = ([5, "usual"], [9, "idle"], [6, "usual too"], [1, "urgent"], [7, "late"]);
    my @order;
    POE::Component::JobQueue->spawn(Alias => "jobs", WorkerLimit => 1, Worker => \&work, Passive => {@passive});
    POE::Session->create(inline_states => {
        _start => sub { $_[KERNEL]->post(jobs => enqueue => done => @$_) for @jobs },
        done => sub {
            push @order, $_[ARG1][0];
            $_[KERNEL]->post(jobs => "stop") if @order == @jobs;
        },
        _stop => sub { },
    });
    POE::Kernel->run();
    print "$title: ", join(", ", @order), "\n";
}

run("as the manual says", Prioritizer => sub { $_[0][0] <=> $_[1][0] });
run("control, no prioritizer");
run("control, as they come", Prioritizer => sub { $_[1][0] <=> $_[0][1] });
PROGRAM

as_stated 'as the manual says: usual, idle, usual too, urgent, late
control, no prioritizer: usual, idle, usual too, urgent, late
control, as they come: urgent, usual, usual too, late, idle' "$(/usr/bin/perl "$tmp/queue.pl" 2>&1)"
