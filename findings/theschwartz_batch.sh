#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libtheschwartz-perl 1.12 with libdbd-pg-perl 3.16 on postgresql-15, Perl 5.36 (Debian 12).
# Expected: the documentation of TheSchwartz (Posting jobs) says that insert_jobs records all its jobs in one
#   database, that of TheSchwartz::Job (Fields) that a uniqkey is posted once. So a batch with a job that is there
#   already records nothing and changes nothing, and a job for which insert() returned a handle is done.
# Really: each function has a number. The client inserts its row in the transaction of the first job that needs it, and
#   caches the number. When that transaction is a batch that is rolled back, the row is gone, but not the number in
#   the cache. The client stores and confirms every later job of that function under it. No worker finds them:
#   workers insert the function again, which gets the next number. Only a new client is right again. A server that
#   posts a new kind of job loses all of that kind, without an error, if its first batch meets a duplicate.
# Seen: the lines at the end of this script. Controls: another client; the same calls where the function had been
#   used before.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian perl '5.36.*'
debian libtheschwartz-perl '1.12-*'
debian libdbd-pg-perl '3.16.*'
start_postgresql
for database in new used; do
    "$programs/createdb" -h "$tmp" -U tester "$database"
    "$programs/psql" -q -h "$tmp" -U tester -d "$database" -f /usr/share/doc/libtheschwartz-perl/schema-postgres.sql
done

cat >"$tmp/batch.pl" <<'PROGRAM'
use strict;
use warnings;
use feature 'say';
use TheSchwartz;
use TheSchwartz::Worker;

my @done;
for my $function (qw(Report Mail)) {
    no strict 'refs';
    @{"${function}::ISA"} = ('TheSchwartz::Worker');
    *{"${function}::work"} = sub {
        my $job = $_[1];
        push @done, "$function " . $job->arg;
        $job->completed;
    };
}

my ($folder, $database) = @ARGV;

sub client {
    my $place = "dbi:Pg:host=$folder;dbname=$database";
    return TheSchwartz->new(databases => [{dsn => $place, user => 'tester', pass => ''}]);
}

sub job {
    my ($function, $name, @more) = @_;
    return TheSchwartz::Job->new(funcname => $function, arg => $name, @more);
}

sub work {
    my $worker = client();
    $worker->can_do($_) for qw(Mail Report);
    @done = ();
    $worker->work_until_done;
    say 'a worker does: ', join ', ', sort @done;
}

sub post {
    my ($client, $function, $name, @more) = @_;
    my $handle = $client->insert(job($function, $name, @more));
    say "$function $name: ", $handle ? 'confirmed' : 'refused';
    return $handle;
}

say "the function Mail is $database";
if ($database eq 'used') {
    post(client(), 'Mail', 'before');
    work();
}
my $client = client();
post($client, 'Report', 'one', uniqkey => 'Monday');
my @recorded = $client->insert_jobs(job('Mail', 'two'), job('Report', 'three', uniqkey => 'Monday'));
say 'a batch with the same uniqkey: ', @recorded ? 'confirmed' : 'refused';
my @handles = map { post($client, 'Mail', $_) } qw(four five);
push @handles, post(client(), 'Mail', 'six of another client');
work();
say 'mails that still wait: ', scalar grep { $_->is_pending } @handles;
PROGRAM

as_stated 'the function Mail is new
Report one: confirmed
a batch with the same uniqkey: refused
Mail four: confirmed
Mail five: confirmed
Mail six of another client: confirmed
a worker does: Mail six of another client, Report one
mails that still wait: 2
the function Mail is used
Mail before: confirmed
a worker does: Mail before
Report one: confirmed
a batch with the same uniqkey: refused
Mail four: confirmed
Mail five: confirmed
Mail six of another client: confirmed
a worker does: Mail five, Mail four, Mail six of another client, Report one
mails that still wait: 0' "$(for database in new used; do /usr/bin/perl "$tmp/batch.pl" "$tmp" "$database"; done)"
